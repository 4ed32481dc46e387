//! Every relative link of a page leads to a file and a heading that exist, and to a page of the
//! book: the site that `make docs` builds has what `docs/SUMMARY.md` names, in the folders of the
//! repository, with its pictures.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{read, root};

const SUMMARY: &str = "docs/SUMMARY.md";

/// The pages of the repository, by their paths from its root.
type Pages = BTreeMap<String, String>;

/// Every Markdown file of `folder` and below, but not what a build or a tool puts there.
fn collect(folder: &Path, pages: &mut Pages) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_made = ["target", "dist", "node_modules"].contains(&name);
        if path.is_symlink() || name.starts_with('.') || is_made {
            continue;
        }
        if path.is_dir() {
            collect(&path, pages);
        } else if name.ends_with(".md") {
            let text = fs::read_to_string(&path).unwrap();
            let path = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            pages.insert(path, text);
        }
    }
}

/// The lines of a page outside blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The text without its code spans.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The targets of the inline links and pictures of a page, but for other sites.
fn links(text: &str) -> Vec<String> {
    // A code span may go over the end of a line, but not of a paragraph.
    let prose = prose(text).collect::<Vec<_>>().join("\n");
    let paragraphs = prose.split("\n\n").map(without_code);
    let targets = paragraphs.flat_map(|paragraph| {
        let rests = paragraph.split("](").skip(1);
        rests.map(|rest| rest.split([')', ' ']).next().unwrap().to_owned()).collect::<Vec<_>>()
    });
    targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:")).collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings = prose(text).filter_map(|line| {
        let title = line.trim_start_matches('#');
        (line.len() > title.len()).then_some(title).and_then(|title| title.strip_prefix(' '))
    });
    let slug = |title: &str| {
        let kept = title.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    let anchors = headings.map(slug).map(|slug| {
        let again = seen.entry(slug.clone()).or_default();
        *again += 1;
        if *again == 1 { slug } else { format!("{slug}-{}", *again - 1) }
    });
    anchors.collect()
}

/// Where a link on `page` leads, from the root.
fn target(page: &str, path: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let folder = Path::new(page).parent().unwrap();
    for component in folder.join(path).components() {
        match component {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.push(part.to_str().unwrap().to_owned()),
            _ => {}
        }
    }
    parts.join("/")
}

/// The faults in the links of `pages`; other files exist if `exists` says so.
fn objections(pages: &Pages, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let chapters: BTreeSet<_> =
        links(&pages[SUMMARY]).iter().map(|link| target(SUMMARY, link)).collect();
    let mut objections = Vec::new();
    for (page, text) in pages {
        for link in links(text) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { target(page, path) };
            let object = match pages.get(&target) {
                None if target.ends_with(".svg") && exists(&target) => continue,
                None => "leads to no page and no picture",
                Some(_) if !chapters.contains(&target) => "leads to a page that SUMMARY.md lacks",
                Some(text) if !anchor.is_empty() && !anchors(text).contains(anchor) => {
                    "leads to no heading"
                }
                Some(_) => continue,
            };
            objections.push(format!("{page}: {link} {object}"));
        }
        let stray = page.starts_with("docs/") && page != SUMMARY && !chapters.contains(page);
        if stray {
            objections.push(format!("{page}: SUMMARY.md lacks it"));
        }
    }
    objections
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = Pages::new();
    collect(&root(), &mut pages);
    let count: usize = pages.values().map(|text| links(text).len()).sum();
    assert!(pages.len() > 20 && count > 80, "{} pages, {count} links", pages.len());
    let exists = |path: &str| root().join(PathBuf::from(path)).is_file();
    let objections = objections(&pages, exists);
    assert!(objections.is_empty(), "{objections:#?}");
}

#[test]
fn the_readme_leads_to_every_kind_of_page() {
    let targets = links(&read("README.md"));
    for wanted in ["docs/files.md", "docs/choosing.md", "docs/limits.md", "SECURITY.md"] {
        assert!(targets.iter().any(|target| target == wanted), "{wanted}");
    }
}

/// The rule itself, on pages that keep and break it.
#[test]
fn broken_links_are_seen() {
    let objections_to = |text: &str| {
        let pages = [
            (SUMMARY, "[One](one.md) [README](../README.md)"),
            ("docs/one.md", "# One\n## A `b`, c\n## A b c\n"),
            ("README.md", text),
            ("other.md", ""),
        ];
        let pages = pages.map(|(page, text)| (page.to_owned(), text.to_owned())).into();
        objections(&pages, |path| path == "docs/picture.svg").len()
    };
    for fine in [
        "[one](docs/one.md)",
        "[one](docs/one.md#a-b-c) and [again](docs/one.md#a-b-c-1)",
        "![picture](docs/picture.svg)",
        "[here](#there)\n# There",
        "[elsewhere](https://example.org/none.md)",
        "`[code](none.md)`\n```\n[code](none.md)\n```",
    ] {
        assert_eq!(objections_to(fine), 0, "{fine}");
    }
    for broken in [
        "[none](docs/none.md)",
        "[none](docs/one.md#none)",
        "[none](docs/one.md#a-b-c-2)",
        "![none](docs/none.svg)",
        "[a folder](docs)",
        "[no chapter](other.md)",
        "[here](#nowhere)",
        "a `span`, [none](none.md)",
        "[up](../docs2/one.md)",
    ] {
        assert_eq!(objections_to(broken), 1, "{broken}");
    }
}
