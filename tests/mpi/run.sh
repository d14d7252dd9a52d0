#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# run.sh MPIRUN RANKS COMMAND...: runs the command on this machine, also as root, and if there are fewer
# processors than ranks. Each rank computes with one thread.
set -euo pipefail
mpirun=$1 ranks=$2
shift 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe AMP_NUM_THREADS=1 OMP_NUM_THREADS=1
exec "$mpirun" -n "$ranks" "$@"
