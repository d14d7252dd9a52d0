// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Training on several devices and machines. The engines are opt-in, each with the header of its
// library: <amp/distributed/mpi.hpp> and <amp/distributed/nccl.hpp>.
#pragma once

#include "amp/distributed/communicator.hpp"       // Communicator, Collective, CommunicationError
#include "amp/distributed/data_parallel.hpp"      // DataParallel, NoSyncGuard, agreement
#include "amp/distributed/launcher.hpp"           // launch_info: how the process was started
#include "amp/distributed/sharded_optimizer.hpp"  // ShardedOptimizer: state spread over ranks
#include "amp/distributed/sync_batch_norm.hpp"    // SyncBatchNorm, convert_sync_batchnorm
#include "amp/distributed/thread_group.hpp"       // ThreadGroup: ranks that are threads
