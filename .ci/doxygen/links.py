# SPDX-FileCopyrightText: 2026 The amp authors
# SPDX-License-Identifier: MIT
#
# Makes names in code spans links to their declarations, and checks every link:
#   links.py HTML TAGFILE
import html
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote


def symbols(tagfile):
    """Where each name is: "amp::matmul", and what lies in amp also without "amp::"."""
    places = {}
    for compound in ET.parse(tagfile).getroot().iter("compound"):
        kind, name = compound.get("kind"), compound.findtext("name")
        page = compound.findtext("filename")
        if kind in ("class", "struct", "concept", "namespace"):
            page += "" if page.endswith(".html") else ".html"
            places.setdefault(name.split("<")[0], page)
        elif kind == "file":
            path = (compound.findtext("path") or "").rstrip("/")
            page += "" if page.endswith(".html") else ".html"
            places.setdefault(f"{path}/{name}".lstrip("/"), page)
        if kind in ("class", "struct", "namespace"):
            for member in compound.iter("member"):
                place = f"{member.findtext('anchorfile')}#{member.findtext('anchor')}"
                places.setdefault(f"{name}::{member.findtext('name')}", place)
                for value in member.iter("enumvalue"):
                    where = f"{value.get('file')}#{value.get('anchor')}"
                    places.setdefault(f"{name}::{member.findtext('name')}::{value.text}", where)
    for name in list(places):
        if name.startswith("amp::"):
            places.setdefault(name[5:], places[name])
        elif name.startswith("amp/"):
            places.setdefault(name[4:], places[name])
    return places


def find(places, name):
    """The place of the longest known beginning of a name: (its length, the place)."""
    parts = name.split("::")
    for count in range(len(parts), 1 if parts[0] == "amp" else 0, -1):
        known = "::".join(parts[:count])
        if known in places:
            return len(known), places[known]
    return 0, None


def linked(text, places, page):
    """A code span with links in it."""
    plain = html.unescape(re.sub(r"<wbr ?/?>", "", text))
    if re.fullmatch(r"&?<?(?:amp::|amp/)?[A-Za-z_][\w/.]*(?:::~?\w+)*>?(?:\(.*\))?", plain):
        match = re.match(r"[&<]?([\w:/.]+)", plain)
        length, place = find(places, match[1])
        if length == len(match[1]) and place and place.split("#")[0] != page:
            return f'<a class="el" href="{place}">{text}</a>'
        if length == len(match[1]):
            return text

    def replace(match):
        length, place = find(places, match[0])
        if not place or length <= 3:
            return match[0]
        return f'<a class="el" href="{place}">{match[0][:length]}</a>{match[0][length:]}'

    return re.sub(r"\bamp(?:::\w+)+", replace, text)


def link_page(path, places):
    text = path.read_text(encoding="utf-8")
    # A picture in an <object> would keep a white ground in a dark page.
    picture = r'<object type="image/svg\+xml" data="([^"]+)"[^>]*></object>'
    text = re.sub(picture, r'<img src="\1" alt=""/>', text)
    parts = re.split(r"(<a\b.*?</a>|<h\d.*?</h\d>|<title>.*?</title>)", text, flags=re.S)
    span = re.compile(r"(<code>|<span class=\"tt\">)([^<>]*(?:<wbr ?/?>[^<>]*)*)(</code>|</span>)")
    for i in range(0, len(parts), 2):
        parts[i] = span.sub(lambda m: m[1] + linked(m[2], places, path.name) + m[3], parts[i])
    path.write_text("".join(parts), encoding="utf-8")


def broken(folder):
    """The links that lead nowhere."""
    ids, links = {}, []
    for path in folder.glob("**/*.html"):
        if path.name == "doxygen_crawl.html":  # for search engines
            continue
        text = path.read_text(encoding="utf-8")
        ids[path.resolve()] = set(re.findall(r'\b(?:id|name)="([^"]+)"', text))
        for link in re.findall(r'\b(?:href|src|data)="([^"]+)"', text):
            if not re.match(r"[a-z]+:|#?$|\$|#", link):
                links.append((path, html.unescape(link)))
    for path, link in sorted(set(links)):
        file, _, fragment = link.partition("#")
        target = (path.parent / unquote(file)).resolve()
        if not target.is_file() or (fragment and target in ids and fragment not in ids[target]):
            yield f"{path.name}: {link}"


def main():
    folder = Path(sys.argv[1])
    places = symbols(sys.argv[2])
    for path in folder.glob("*.html"):
        link_page(path, places)
    script = folder / "navtree.js"  # which escapes what its browser escapes again
    if script.is_file():
        text = script.read_text(encoding="utf-8")
        text = re.sub(r"textContent = escapeHtml\((\w+)\)", r"textContent = \1", text)
        script.write_text(text, encoding="utf-8")
    complaints = list(broken(folder))
    for complaint in complaints:
        print("a link leads nowhere:", complaint)
    return 1 if complaints else 0


sys.exit(main())
