# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Writes what Doxygen reads, and changes its default layout: input.py FOLDER LAYOUT
#
# Headers: their public declarations, by namespace amp::... without v0, in a topic for each module.
# The comment at the head describes the file, a comment behind a declaration that declaration, and a
# comment over several declarations, with no empty line between them, each of them.
# Pages: the Markdown files, one with the support matrix, and one with the charts.
# Layout: a description comes before the list of members.
import re
import subprocess
import sys
from pathlib import Path

# The topics in the order of the layers; modules that are not named here come last.
TITLES = {
    "core": "Errors, warnings, version",
    "types": "Number types",
    "device": "Devices, memory, threads",
    "cuda": "CUDA",
    "tensor": "Tensors",
    "autograd": "Autograd",
    "autocast": "Autocast",
    "ops": "Operations",
    "nn": "Modules (nn)",
    "optim": "Optimizers",
    "scaler": "Gradient scaling",
    "precision": "Opt levels",
    "interop": "Files and other libraries",
    "libtorch": "libtorch",
    "distributed": "Distributed training",
    "diagnostics": "Diagnostics",
    "debug": "Debuggers",
}
ABOUT = {  # of the modules that have no header of their own
    "core": "Errors, warnings and the version.",
    "interop": "Checkpoints, safetensors files, and memory that amp shares with other libraries.",
    "debug": "How debuggers show amp's types.",
}
PARENTS = {"cuda": "device", "libtorch": "interop"}
LABEL = re.compile(r"(Meaning|Order|Dtypes|Shapes|Devices|Errors|Synchronisation|Ranks|Cost|"
                   r"Threads|Sources?|Example):(?= )")


def module(path):
    """The topic of a header, by its path below include/amp."""
    parts = path.with_suffix("").parts
    if parts[0] == "kernels":  # what users see of it
        return {"optim": "optim", "unscale": "scaler"}.get(parts[1], "ops")
    if "cuda" in parts or path.suffix == ".cuh":
        return parts[0] if parts[0] == "distributed" else "cuda"
    if "libtorch" in parts:
        return "libtorch"
    if len(parts) == 1:
        alone = {"amp": "core", "views": "interop", "dlpack": "interop"}
        return alone.get(parts[0], "interop" if parts[0] == "safetensors" else parts[0])
    return parts[0]


# --- comments ---------------------------------------------------------------------------------


def escape(text):
    """Characters that Doxygen would take for commands, outside of code spans."""
    parts = re.split(r"(`+[^`]*`+)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\\(?=[^\s`])|[@<>#$%]", lambda m: "\\" + m.group(), parts[i])
        parts[i] = parts[i].replace("---", "\\---")
        parts[i] = re.sub(r"\b(et al|e\.g|i\.e|vs|cf)\.(?= |$)", r"\1.\\", parts[i])
    return "".join(parts)


def markdown(lines):
    """The lines of a comment, without slashes, as Markdown: indented lines become code, and a line
    such as "Dtypes: ..." begins a paragraph."""
    result, code, in_fence, in_list, ended = [], [], False, False, True

    def end_code():
        if code:
            indent = min(len(line) - len(line.lstrip()) for line in code)
            result.extend(["", "\\code{.unparsed}"])
            result.extend([line[indent:] for line in code] + ["\\endcode"])
            code.clear()

    for line in lines:
        if line.strip().startswith("```") or in_fence:
            end_code()
            in_fence ^= line.strip().startswith("```")
            result.append(line)
            ended = True
            continue
        is_item = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        if not line.strip() or (is_item and not code):
            in_list = bool(is_item)
        if line.startswith("  ") and line.strip() and not in_list:
            code.append(line)
            ended = True
            continue
        end_code()
        label = LABEL.match(line)
        if label and ended and not in_list:
            result += ["", f"**{label.group(1)}:**{escape(line[label.end():])}"]
        else:
            result.append(escape(line))
        ended = not line.strip() or line.rstrip().endswith((".", ":"))
    end_code()
    while result and not result[0].strip():
        result.pop(0)
    return result


def comment(lines, indent=""):
    return [f"{indent}/// {line}".rstrip() for line in markdown(lines)]


# --- headers ------------------------------------------------------------------------------------


def code_of(line):
    """A line without comments, and with its strings empty."""
    code = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', '""', line)
    return re.sub(r"//.*", "", code).rstrip()


def end_of(lines, first):
    """The last line of the declaration that begins on line `first`, and whether it opens a scope
    instead: a namespace, or a class or enumeration with members on lines of their own."""
    depth, text = 0, ""
    for at in range(first, len(lines)):
        line = lines[at]
        code = code_of(line)
        if code.lstrip().startswith("#"):
            if at == first:
                while lines[at].endswith("\\"):
                    at += 1
                return at, False
            continue
        text = (text + " " + code.strip()).strip()
        for i, character in enumerate(code):
            if character in "({[":
                depth += 1
            elif character in ")}]":
                depth -= 1
                if character == "}" and depth == 0 and not code[i + 1:].strip():
                    return at, False
            elif character == ";" and depth == 0:
                return at, False
        if depth == 1 and code.endswith("{") and "(" not in re.sub(r"\([^()]*\)", "", text):
            bare = re.sub(r"^template <(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>\s*", "", text)
            bare = re.sub(r"^requires .*?(?=\b(?:class|struct)\b)", "", bare)
            if re.match(r"(?:inline )?namespace\b|(?:class|struct|union|enum)\b[^=()]*\{$",
                        re.sub(r"\([^()]*\)", "", bare)):
                return at, True
    return len(lines) - 1, False


class Header:
    """Reads one header. Its lines are formatted: members are indented by 2 in their scope."""

    def __init__(self, path, text, topic):
        self.lines, self.out, self.topic, self.public = text.split("\n"), [], topic, 0
        at = self.head(path)
        self.scope(at, len(self.lines), "", "file")

    def head(self, path):
        """Writes the comment at the head as the file's."""
        at, words = 0, []
        while self.lines[at].startswith("//"):
            if at > 2:
                words.append(self.lines[at][3:])
            at += 1
        self.about = words
        self.out += [f"/// \\file {path}", f"/// \\ingroup {self.topic}", "///"] + comment(words)
        return at

    def behind(self, lines):
        """The comments behind declarations, as these declarations'."""
        result, goes_on = [], False
        for line in lines:
            match = re.match(r"(\s*\S.*?)(\s+)// (?!NOLINT)(.*)$", line)
            if match and not line.lstrip().startswith("//") and re.search(r"[;,}{\w]$", match[1]):
                result.append(f"{match[1]}{match[2]}///< {escape(match[3])}")
                goes_on = True
            elif goes_on and re.match(r"\s+// ", line):
                result.append(re.sub(r"// (.*)", lambda m: "///< " + escape(m[1]), line))
            else:
                result.append(line)
                goes_on = False
        return result

    def close_of(self, opened):
        """The line that closes the scope that the end of line `opened` opens."""
        depth = 1
        for at in range(opened + 1, len(self.lines)):
            code = code_of(self.lines[at])
            depth += code.count("{") - code.count("}")
            if depth <= 0:
                return at
        return len(self.lines) - 1

    def scope(self, at, end, indent, kind):
        """Lines [at, end), the members of a scope."""
        lines, doc, waiting, section, hidden = self.lines, None, False, False, False
        while at < end:
            line = lines[at]
            bare = line.strip()
            if not bare:
                doc = None
                self.out.append("")
                at += 1
            elif bare.startswith("///"):
                first = at
                while at < end and lines[at].strip().startswith("///"):
                    at += 1
                doc = comment([x.strip()[4:] for x in lines[first:at]], indent)
                waiting = True
            elif re.match(r"// --- ", bare):
                title = re.sub(r"\s*-*$", "", bare[7:])
                while at + 1 < end and re.match(r"\s*// [^-]|\s*// -+$", lines[at + 1]):
                    at += 1
                    more = lines[at].strip()[3:]
                    title += "" if more.startswith("-") else " " + more
                if kind == "class" and not hidden:
                    if section:
                        self.out.append(f"{indent}/// @}}")
                    title = title[:1].upper() + title[1:]
                    self.out += [f"{indent}/// @name {title}", f"{indent}/// @{{", ""]
                    section = True
                doc = None
                at += 1
            elif bare.startswith("//"):
                if "clang-format" not in bare:
                    doc = None
                at += 1
            elif re.match(r"(public|protected|private):", bare):
                if section:
                    self.out.append(f"{indent}/// @}}")
                    section = False
                hidden = bare.startswith("private")
                if not hidden:
                    self.out.append(line)
                doc = None
                at += 1
            elif bare.startswith("#"):
                last, _ = end_of(lines, at)
                if waiting and doc:
                    self.out += doc
                    waiting = False
                self.out += lines[at:last + 1]
                at = last + 1
            else:
                at, doc = self.declaration(at, end, indent, kind, doc, waiting, hidden)
                waiting = False
        if section:
            self.out.append(f"{indent}/// @}}")

    def declaration(self, at, end, indent, kind, doc, waiting, hidden):
        lines = self.lines
        last, opens = end_of(lines, at)
        close = self.close_of(last) if opens else last
        if hidden:
            return close + 1, None
        for i in range(at, last + 1):  # (max)(a, b): not a macro
            lines[i] = re.sub(r"(\S)\((max|min)\)\(", r"\1 \2(", lines[i])
        text = " ".join(x.strip() for x in lines[at:last + 1])
        namespace = re.match(r"namespace ([\w:]+)", text.replace("::inline v0", ""))
        if namespace:
            name = namespace[1]
            if re.search(r"\b(detail|kernels|simd)\b", name):
                return close + 1, None
            if not opens:  # namespace x { class Y; }
                return close + 1, None
            self.out += [f"namespace {name} {{", f"/// \\addtogroup {self.topic}", "/// @{"]
            self.scope(last + 1, close, indent, "namespace")
            self.out += ["/// @}", "}"]
            return close + 1, None
        forward = r"(?:template <.*> )?(?:class|struct|enum)[^(){}=]*;(?: //.*)?"
        forward = re.fullmatch(forward, text)
        if "~" in text.split("(")[0] and kind == "class":  # the destructor
            return close + 1, doc
        special = re.search(r"= (delete|default);|\boperator=\(", text)
        if doc and (waiting or not special and ("(" in text or not opens and kind == "namespace")):
            self.out += doc
        if forward and not waiting or text.startswith(("friend ", "static_assert", "AMP_PROCESS")):
            if not waiting:
                return close + 1, doc
        if kind in ("file", "namespace"):
            self.public += 1
        if opens:
            enumeration = re.search(r"\benum\b", text)
            self.out += [re.sub(r" : (?:public|private) detail::\w+(?: \{$)", " {", line)
                         for line in lines[at:last + 1]]
            if enumeration:
                self.out += self.behind(lines[last + 1:close])
            else:
                self.scope(last + 1, close, indent + "  ", "class")
            self.out += self.behind([lines[close]])
            return close + 1, None
        after = last + 1
        goes_on = re.compile(rf"{indent}\s+// ")
        while after < end and "//" in lines[after - 1] and goes_on.match(lines[after]):
            after += 1
        if last > at and "{" in text and "(" in text:  # comments in a function's body stay
            self.out += lines[at:after]
        else:
            self.out += self.behind(lines[at:after])
        return after, doc


def write_headers(root, folder, files):
    about = {}
    written = set()
    for name in files:
        path = Path(name).relative_to("include/amp")
        if path.suffix not in (".hpp", ".cuh") or path.parts[0] in ("fwd.hpp", "compiled.hpp"):
            continue
        topic = module(path)
        header = Header(path=f"amp/{path}", text=(root / name).read_text(), topic=topic)
        if path.stem == topic and len(path.parts) == 1 and path.suffix == ".hpp":
            about[topic] = header.about
        if header.public == 0 and len(path.parts) > 1:
            continue
        written.add(topic)
        target = folder / "include/amp" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(header.out) + "\n")
    titles = TITLES | {name: name for name in sorted(written) if name not in TITLES}
    with open(folder / "topics.hpp", "w") as out:
        for name, title in titles.items():
            if name not in written:
                continue
            parent = PARENTS.get(name)
            out.write(f"/// \\defgroup {name} {title}\n")
            if parent:
                out.write(f"/// \\ingroup {parent}\n")
            out.write("///\n" + "\n".join(comment(about.get(name, [ABOUT.get(name, "")]))) + "\n\n")


# --- pages ----------------------------------------------------------------------------------------


def page_id(name):
    return "index" if name == "README.md" else "page_" + re.sub(r"\W+", "_", name[:-3]).lower()


def rewrite_links(text, name, pages, tracked, copy):
    """Links to other pages, pictures and files, as the pages of Doxygen reach them."""

    def anchor(words, address):
        return f'<a href="{address}">{words[1:-1]}</a>'

    def target(match):
        link, _, fragment = match[2].partition("#")
        if re.match(r"[a-z]+:", match[2]):
            return match[0]
        path = (Path(name).parent / link).as_posix() if link else name
        parts = []
        for part in path.split("/"):
            parts = parts[:-1] if part == ".." and parts else parts + [part] * (part != ".")
        path = "/".join(parts)
        if path + "/README.md" in pages:
            path += "/README.md"
        if path in pages:
            place = f"#{page_id(path)}_{fragment}" if fragment else ""
            return anchor(match[1], f"{page_id(path)}.html{place}")
        if path.endswith((".svg", ".png")) and path in tracked:
            return f"{match[1]}({path.split('/')[-1]})"
        if path in tracked:
            copy.add(path)
            return anchor(match[1], f"files/{path}")
        return match[1].strip("[]")  # a folder: the text alone

    def heading(match):  # with the anchor that GitHub gives it, on this page
        slug = re.sub(r"[^\w -]", "", re.sub(r"<[^>]*>", "", match[2]).lower()).replace(" ", "-")
        slugs[slug] = slugs.get(slug, -1) + 1
        slug += f"-{slugs[slug]}" if slugs[slug] else ""
        return f"{match[0]} {{#{page_id(name)}_{slug}}}"

    slugs = {}
    fenced = re.split(r"(^```.*?^```)", text, flags=re.S | re.M)
    for i in range(0, len(fenced), 2):
        link = r"`[^`]*`(?!\])|(\[(?:[^\[\]]|\[[^\[\]]*\])*\])\(([^()\s]+)\)"
        fenced[i] = re.sub(link, lambda m: target(m) if m[1] else m[0], fenced[i])
        fenced[i] = re.sub(r"^(##+ )(.*)$", heading, fenced[i], flags=re.M)
    return "".join(fenced)


def write_pages(root, folder, files):
    pages = [name for name in files if name.endswith(".md") and "TEMPLATE" not in name.upper()]
    tracked, copy, texts = set(files), set(), {}
    matrix = []
    for name in pages:
        text = (root / name).read_text()
        match = re.search(r"^<!-- support matrix -->\n(.*?)^<!-- end -->", text, re.S | re.M)
        if match:
            matrix.append((name, match[1]))
        text = re.sub(r"^<!--.*?-->\n", "", text, flags=re.S | re.M)
        text = re.sub(r"!\[[^\]]*\]", lambda m: m[0].replace("\n", " "), text)
        texts[name] = rewrite_links(text, name, pages, tracked, copy)
    if len(matrix) != 1:
        sys.exit(f"{len(matrix)} support matrices are marked in the Markdown pages")
    (out := folder / "pages").mkdir(parents=True)
    charts = sorted(name for name in files if re.fullmatch(r"benchmarks/results/.*\.svg", name))
    results = sorted(name for name in pages if name.startswith("benchmarks/results/"))
    captions = "".join(texts.values())
    with open(out / "page_matrix.md", "w") as file:
        name, table = matrix[0]
        file.write("# Support matrix {#page_matrix}\n\n∂: values and gradients; ✓: values. The text "
                   f'about it is in <a href="{page_id(name)}.html">{name}</a>.\n\n{table}')
    with open(out / "page_charts.md", "w") as file:
        file.write("# Charts and measurements {#page_charts}\n\n")
        for chart in charts:
            picture = chart.split("/")[-1]
            alt = re.search(rf"!\[([^\]]*)\]\({re.escape(picture)}\)", captions)
            file.write(f"![{alt[1] if alt else picture}]({picture})\n\n")
        file.write("".join(f"- \\subpage {page_id(name)}\n" for name in results))
    order = ["README.md"] + [name for name in pages if name != "README.md"]
    for name in order:
        text = texts[name]
        title = re.match(r"# (.*)\n", text)
        heading = title[1] if title else name
        text = text[title.end():] if title else text
        target = out / (page_id(name) + ".md")
        place = "mainpage" if name == "README.md" else page_id(name)
        target.write_text(f"# {heading} {{#{place}}}\n" + text)
    for picture in charts:
        (folder / "pictures").mkdir(exist_ok=True)
        (folder / "pictures" / picture.split("/")[-1]).write_bytes((root / picture).read_bytes())
    for name in copy:
        target = folder / "files" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((root / name).read_bytes())


TABS = """<navindex>
    <tab type="mainpage" visible="yes" title="amp"/>
    <tab type="pages" visible="yes" title="Pages"/>
    <tab type="topics" visible="yes" title="API by topic"/>
    <tab type="concepts" visible="yes" title="Concepts"/>
    <tab type="classes" visible="yes" title="Classes">
      <tab type="classlist" visible="yes" title="All classes"/>
      <tab type="hierarchy" visible="yes" title="Hierarchy"/>
      <tab type="classmembers" visible="yes" title="Index of members"/>
    </tab>
    <tab type="namespaces" visible="yes" title="Functions and namespaces">
      <tab type="namespacelist" visible="yes" title="Namespaces"/>
      <tab type="namespacemembers" visible="yes" title="Index of functions"/>
    </tab>
    <tab type="files" visible="yes" title="Headers">
      <tab type="filelist" visible="yes" title="All headers"/>
      <tab type="globals" visible="yes" title="Macros"/>
    </tab>
  </navindex>"""


def change_layout(path):
    text = path.read_text()
    tabs = TABS if 'type="topics"' in text else TABS.replace("topics", "modules")  # before 1.10
    text = re.sub(r"<navindex>.*</navindex>", tabs, text, flags=re.S)

    def reorder(match):
        section = match[0]
        detailed = re.search(r" *<detaileddescription.*?/>\n", section)
        if not detailed:
            return section
        section = section.replace(detailed[0], "")
        brief = '<briefdescription visible="'
        section = section.replace(brief + "yes", brief + "no")
        first = re.search(r" *<(?:memberdecl|definition)\b", section).start()
        section = section[:first] + detailed[0] + section[first:]
        files = re.search(r" *<files visible.*?/>\n", section)
        if match[1] == "group" and files:
            section = section.replace(files[0], "", 1)
            section = re.sub(r" *</memberdecl>", lambda m: files[0] + m[0], section, count=1)
        return section

    sections = r"<(class|namespace|file|group|concept)>.*?</\1>"
    path.write_text(re.sub(sections, reorder, text, flags=re.S))


def main():
    folder = Path(sys.argv[1])
    change_layout(Path(sys.argv[2]))
    root = Path(__file__).resolve().parents[2]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True)
    files = [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]
    write_headers(root, folder, [name for name in files if name.startswith("include/amp/")])
    write_pages(root, folder, files)


main()
