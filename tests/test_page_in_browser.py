"""Pages as people see them: opened from the disk in Chromium, light and dark, wide and narrow, with mouse and keyboard.

Screenshots are kept in build/screenshots. Without Chromium the tests are skipped.
"""

import os
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from browser import Browser, program
from conftest import ROOT, SHARED
from test_page import HOSTILE, hostile

pytestmark = [pytest.mark.skipif(program() is None, reason="needs chromium in the PATH"), pytest.mark.slow]
SCREENSHOTS = ROOT / "build" / "screenshots"
OF_SHARED = ("flags", "emotions", "medical")
PAGES = ("garden-birds", "hostile", *OF_SHARED, "results")
GROUND = {"light": "rgb(251, 252, 252)", "dark": "rgb(20, 25, 30)"}
LABELS = "document.querySelectorAll('div.table')[1]"


@pytest.fixture(scope="module")
def browser():
    with Browser() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture
def page_of(folder, here, monkeypatch):
    """The page of a name in PAGES, made when it is first asked for."""

    def resampled(path):
        assert here("resample", path, f"{path.stem}-out.arff", "--provenance", f"{path.stem}-out.provenance.csv", "--p", "0.1",
                    "--quiet").returncode == 0  # fmt: skip
        return f"{path.stem}-out.arff"

    def source(name):
        if name == "results":
            options = (
                "--methods",
                "base,mlros:p=0.1,mlros:p=0.3",
                "--learners",
                "mlknn",
                "--cv",
                "2x2",
                "--jobs",
                "1",
                "--quiet",
            )
            assert here("evaluate", sample("garden-birds"), *options, "--out", "results").returncode == 0
            return "results/results.json"
        return resampled(hostile(folder) if name == "hostile" else sample(name))

    def sample(name):
        if name in OF_SHARED and not SHARED.is_dir():
            pytest.skip("needs ../shared")
        origin = SHARED / "data" if name in OF_SHARED else ROOT / "sample_data"
        for path in (*origin.glob(f"{name}.arff*"), *origin.glob(f"{name}.xml")):
            shutil.copy(path, folder)
            os.chmod(folder / path.name, 0o644)
        return next(path for path in folder.glob(f"{name}.arff*"))

    def made(name):
        monkeypatch.chdir(folder)
        path = folder / f"{name}.html"
        if not path.exists():
            assert here("page", source(name), "-o", path, "--quiet").returncode == 0
        return path

    return made


@pytest.fixture
def opened(browser, page_of):
    """Opens a page and closes it again."""
    pages = []

    def open_page(name, width=1100, scheme="light"):
        page = browser.open(page_of(name), width=width, scheme=scheme)
        pages.append(page)
        page.wait(f"document.body && document.body.dataset.drawn === '{scheme}'")
        return page

    yield open_page
    for page in pages:
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_every_picture_is_drawn_without_a_word_on_the_console(name, scheme, opened):
    page = opened(name, scheme=scheme)
    page.screenshot(SCREENSHOTS / f"{name}-{scheme}.png")
    marks = page.value(
        "[...document.querySelectorAll('figure')].map((f) => f.querySelectorAll('svg .mark-group path, svg path').length)"
    )
    assert len(marks) >= 4
    assert min(marks) > 3
    assert page.value("getComputedStyle(document.body).backgroundColor") == GROUND[scheme]
    assert page.faults() == []


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_shows_it_without_scrolling_aside(name, opened):
    page = opened(name, width=390)
    page.screenshot(SCREENSHOTS / f"{name}-phone.png")
    assert page.value("document.documentElement.scrollWidth") <= 390
    assert page.faults() == []


def test_the_scheme_changes_while_the_page_is_open(opened):
    page = opened("garden-birds")
    page.prefer("dark")
    page.wait("document.body.dataset.drawn === 'dark'")
    assert page.value("getComputedStyle(document.body).backgroundColor") == GROUND["dark"]
    text = "getComputedStyle(document.querySelector('figure svg text')).fill"
    assert page.value(text) == "rgb(230, 233, 236)"
    assert page.faults() == []


def column(page, place):
    return page.value(f"[...{LABELS}.querySelectorAll('tbody tr')].map((row) => row.children[{place}].textContent)")


def aria_sort(page):
    return page.value(f"[...{LABELS}.querySelectorAll('thead th')].map((head) => head.getAttribute('aria-sort'))")


def test_the_table_of_labels_sorts_on_click(opened):
    page = opened("garden-birds")
    titles = page.value(f"[...{LABELS}.querySelectorAll('thead th')].map((head) => head.textContent)")
    place = titles.index("positives")
    head = f"{LABELS}.querySelectorAll('thead button')[{place}]"
    assert aria_sort(page)[titles.index("IRLbl")] == "descending"
    for order, word in ((True, "descending"), (False, "ascending")):
        page.click(head)
        counts = [int(text.replace(",", "")) for text in column(page, place)]
        assert counts == sorted(counts, reverse=order)
        assert aria_sort(page)[place] == word
        assert aria_sort(page).count("none") == len(titles) - 1
    page.click(f"{LABELS}.querySelectorAll('thead button')[0]")
    assert column(page, 0) == sorted(column(page, 0))


def test_the_table_of_labels_sorts_by_the_keyboard(opened):
    page = opened("garden-birds")
    page.value(f"{LABELS}.querySelectorAll('thead button')[0].focus()")
    page.press("Tab")
    assert page.value(f"document.activeElement === {LABELS}.querySelectorAll('thead button')[1]")
    assert page.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.press("Enter")
    assert aria_sort(page)[1] == "descending"


def test_the_table_of_labels_filters(opened):
    page = opened("medical")
    everything = column(page, 0)
    page.value(f"{LABELS}.querySelector('input').focus()")
    page.call("Input.insertText", text=everything[3])
    assert everything[3] in column(page, 0)
    assert all(everything[3] in name for name in column(page, 0))
    assert page.value(f"{LABELS}.querySelector('output').textContent") == f"{len(column(page, 0))} of {len(everything)} rows"


POINTED = {
    "labels": ("IRLbl", "positives"),
    "cooccurrence": ("rows with both", "share"),
    "cardinality": ("rows",),
    "labelsets": ("rows",),
    "features": ("weight", "feature"),
    "local-imbalance": ("LImb_LSD",),
}


@pytest.mark.parametrize("picture", POINTED)
def test_details_are_shown_where_one_points(picture, opened):
    page = opened("emotions" if SHARED.is_dir() else "garden-birds")
    marks = f"document.querySelector('figure[data-picture=\"{picture}\"]').querySelectorAll('.mark-symbol path, .mark-rect path')"
    shown = "document.querySelector('#vg-tooltip-element.visible')"
    place = page.value(f"[...{marks}].findIndex((mark) => mark.hasAttribute('aria-label') && mark.getBBox().width > 0)")
    page.point(f"[...{marks}][{place}]")
    page.wait(f"{shown} !== null")
    text = page.value(f"{shown}.textContent")
    assert [word for word in POINTED[picture] if word not in text] == []
    page.screenshot(SCREENSHOTS / f"hover-{picture}.png", whole=False)


def test_hostile_names_are_texts_everywhere(opened):
    page = opened("hostile")
    assert sorted(column(page, 0)) == sorted(HOSTILE)
    assert page.value("document.querySelectorAll('main script, main b, main img').length") == 0
    marks = "document.querySelector('figure[data-picture=\"cooccurrence\"]').querySelectorAll('.mark-rect path')"
    page.point(f"[...{marks}].find((mark) => mark.getBBox().width > 0)")
    page.wait("document.querySelector('#vg-tooltip-element.visible') !== null")
    tooltip = "document.querySelector('#vg-tooltip-element')"
    assert page.value(f"{tooltip}.querySelectorAll('script, b, img').length") == 0
    assert any(name[:20] in page.value(f"{tooltip}.textContent") for name in HOSTILE)
    assert not [event for event in page.browser.events if event["method"] == "Page.javascriptDialogOpening"]
    assert page.faults() == []


def test_a_new_row_is_explained(opened, page_of):
    page = opened("garden-birds")
    lines = (page_of("garden-birds").parent / "garden-birds-out.provenance.csv").read_text().split()[1:]
    rows = [line.split(",") for line in lines]

    def told():
        return page.value("[...document.querySelectorAll('.row dd')].map((one) => one.textContent)")

    def as_told(row):
        number, seed, reference, label = row
        return [number, label, seed, reference]

    assert told()[:4] == as_told(rows[0])
    buttons = "[...document.querySelectorAll('.rows .tools button')]"
    page.click(f"{buttons}[1]")
    assert told()[:4] == as_told(rows[1])
    page.click(f"{buttons}[0]")
    assert told()[:4] == as_told(rows[0])
    label = rows[-1][3]
    option = f"[...s.options].find((o) => o.text.startsWith('{label}'))"
    choose = f"const s = document.querySelector('.rows select'); s.value = {option}.value;"
    page.value(f"(() => {{ {choose} s.dispatchEvent(new Event('change')); }})()")
    assert told()[:4] == as_told(next(row for row in rows if row[3] == label))
    assert page.value("document.querySelectorAll('.row table').length") == 2
    page.screenshot(SCREENSHOTS / "row-explained.png", whole=False)


def test_screen_readers_find_names_for_everything(opened):
    page = opened("garden-birds")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    named = {
        "button",
        "textbox",
        "searchbox",
        "spinbutton",
        "combobox",
        "table",
        "region",
        "link",
        "figure",
        "group",
        "columnheader",
    }
    unnamed = [
        node["role"]["value"]
        for node in nodes
        if node.get("role", {}).get("value") in named and not node["ignored"] and not node.get("name", {}).get("value")
    ]
    assert unnamed == []
    roles = {node["role"]["value"] for node in nodes if "role" in node}
    assert {"main", "navigation", "heading", "table", "columnheader", "rowheader", "button", "figure"} <= roles
    headings = page.value("[...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]))")
    assert headings[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))


def test_every_text_stands_out_from_its_ground():
    """WCAG AA, 4.5 to 1, of the colours in the style."""
    style = (Path(__file__).parents[1] / "lsdmlo_cli" / "page" / "page.css").read_text()
    for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL):
        colour = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
        for text in ("ink", "quiet", "accent", "warm"):
            for ground in ("ground", "sheet", "shade"):
                assert contrast(colour[text], colour[ground]) >= 4.5, (text, ground)


def contrast(one, other):
    def luminance(colour):
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
