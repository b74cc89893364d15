"""The page in a real browser: Debian's Chromium, driven by Playwright. The pictures of the README are made here.

`REGLA_PICTURES=1 pytest tests/service/test_browser.py` writes them anew.
"""

from __future__ import annotations

import io
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright
from regla.service.evidence import verify
from regla.service.sources import clip_samples, samples

from tests.service.conftest import running

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PICTURES = Path(__file__).parents[2] / "samples" / "pictures"
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
PATIENCE_MS = 20_000
"""A loaded machine is slow; how fast the page is, is measured in tests/benchmarks."""

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert chromium, "The browser tests need Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("service")) as (found, _):
        yield found


@pytest.fixture
def table(address: str) -> Iterator[str]:
    """A fresh table for each test, so that none sees what another did."""
    made = httpx.post(f"{address}/api/tables", json={"sample": "t9a"}, timeout=30).json()["id"]
    yield f"{address}/t/{made}"
    httpx.delete(f"{address}/api/tables/{made}", timeout=30)


def open_page(browser: Browser, faults: list[str], **more: Any) -> Page:
    context = browser.new_context(**{"viewport": DESKTOP, "locale": "en-GB", **more})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.on("console", lambda m: faults.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: faults.append(str(e)))
    return page


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """What the browser complains about: nothing."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def page(browser: Browser, faults: list[str], table: str) -> Iterator[Page]:
    """Asks for the table first, so that the page is closed before its table is."""
    found = open_page(browser, faults)
    yield found
    found.context.close()


def piece(page: Page, name: str) -> Any:
    return page.locator(f'[data-piece="{name}"]')


def tap(page: Page, name: str) -> None:
    piece(page, name).locator(".base").click()


def at(page: Page, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Where a place of the table is on the screen."""
    box = page.evaluate(
        """([x, y]) => { const s = document.querySelector('#stage > svg'), p = s.createSVGPoint(); p.x = x; p.y = -y;
        const q = p.matrixTransform(s.getScreenCTM()); return [q.x, q.y]; }""",
        [x_mm, y_mm],
    )
    return box[0], box[1]


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    for k in (0.3, 0.7, 1.0):
        page.mouse.move(start[0] + (end[0] - start[0]) * k, start[1] + (end[1] - start[1]) * k)
    page.mouse.up()


def ready(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("html[data-ready] [data-piece]")
    return page


def scene_of(table: str) -> dict[str, Any]:
    root, name = table.split("/t/")
    found: dict[str, Any] = httpx.get(f"{root}/api/tables/{name}/scene", timeout=30).json()
    return found


def piece_of(table: str, name: str) -> dict[str, Any]:
    return next(p for p in scene_of(table)["pieces"] if p["id"] == name)


IN = 25.4


def test_tap_two_and_read_the_ruling(page: Page, table: str) -> None:
    ready(page, table)
    tap(page, "archers")
    expect(page.locator("#panel h2")).to_have_text("Archers")
    expect(page.locator("#panel .others li")).to_have_count(9)
    tap(page, "raiders")
    card = page.locator("#card-place .card")
    expect(card.locator(".who")).to_contain_text("Archers → Raiders")
    assert card.locator(".rules").inner_text().startswith("T9A-")
    assert page.locator(".drawn .line").count() >= 1
    expect(page.locator("#announce")).to_contain_text("Archers")
    page.get_by_role("button", name="Other question").click()
    page.get_by_placeholder("Search").fill("range")
    page.locator("dialog .menu button").first.wait_for()
    page.keyboard.press("Escape")


def test_another_question_with_its_own_inputs(page: Page, table: str) -> None:
    ready(page, table)
    tap(page, "archers")
    tap(page, "raiders")
    page.locator("#card-place .card").wait_for()
    page.get_by_role("button", name="Other question").click()
    title = next(
        q["title"]["en"]
        for g in httpx.get(table.split("/t/")[0] + "/api/games", timeout=30).json()
        for q in g["queries"]
        if g["id"] == "t9a" and q["name"] == "range"
    )
    page.locator("dialog .menu button", has_text=title).first.click()
    page.locator("dialog input[type=number]").first.fill("14")
    page.locator("dialog button[type=submit]").click()
    card = page.locator("#card-place .card")
    expect(card.locator(".word")).to_have_text("YES")
    expect(card.locator(".value")).to_contain_text("13.89 ± 0.06 in")
    expect(card.locator(".margin")).to_contain_text("by 0.11 in")


def test_name_and_correct_then_undo(page: Page, table: str) -> None:
    ready(page, table)
    tap(page, "giant")
    page.get_by_role("button", name="Correct").click()
    page.get_by_label("Name").fill("Gogmagog")
    page.get_by_label("Facing (°)").fill("180")
    page.locator("dialog").get_by_label("Side").select_option("B")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#panel h2")).to_have_text("Gogmagog")
    expect(piece(page, "giant").locator(".hand-dot")).to_have_count(1)
    found = piece_of(table, "giant")
    assert (found["name"], found["facing"], found["side"]) == ("Gogmagog", 180, "B")
    page.keyboard.press("u")
    expect(page.locator("#panel h2")).to_have_text("Giant")
    assert piece_of(table, "giant")["side"] == "A"


def test_turn_a_piece_by_its_tick(page: Page, table: str) -> None:
    ready(page, table)
    tap(page, "spears")
    handle = page.locator('[data-handle="facing"]')
    expect(page.locator("#panel .others li")).to_have_count(9)  # nothing is drawn anew after this
    box = handle.bounding_box()
    assert box is not None
    drag(page, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), at(page, 60 * IN, 14 * IN))
    expect(piece(page, "spears").locator(".hand-dot")).to_have_count(1)
    assert piece_of(table, "spears")["facing"] == pytest.approx(0, abs=2)


def test_the_ruler_snaps_to_edges(page: Page, table: str) -> None:
    ready(page, table)
    page.keyboard.press("r")
    drag(page, at(page, 15 * IN, 16 * IN - 18), at(page, 13 * IN, 33 * IN + 20))
    expect(page.locator("#panel h2")).to_contain_text("in")
    said = page.locator("#panel h2").inner_text()
    giant, chariot = piece_of(table, "giant"), piece_of(table, "chariot")
    true = ((giant["at"][0] - chariot["at"][0]) ** 2 + (giant["at"][1] - chariot["at"][1]) ** 2) ** 0.5 - 55
    assert float(said.split()[0]) == pytest.approx(true / IN, abs=0.02)
    assert "±" in said and page.locator("#panel").inner_text().count("Giant → Chariot") == 1


def test_what_if_a_ghost_moves_and_the_table_does_not(page: Page, table: str) -> None:
    ready(page, table)
    page.keyboard.press("w")
    drag(page, at(page, 36 * IN, 14 * IN), at(page, 36 * IN, 20 * IN))
    expect(page.locator("#panel h2")).to_contain_text("What if Spears")
    expect(page.locator("#panel")).to_contain_text("moved 6 in")
    expect(page.locator("#panel")).to_contain_text("there is room")
    page.get_by_role("button", name="Wheel left").click()
    assert piece_of(table, "spears")["at"] == pytest.approx([36 * IN, 14 * IN])
    page.keyboard.press("Escape")
    expect(page.locator(".ghost")).to_have_count(0)


def test_draw_terrain(page: Page, table: str) -> None:
    ready(page, table)
    page.keyboard.press("t")
    for x, y in ((30, 40), (36, 40), (36, 44), (30, 44)):
        page.mouse.click(*at(page, x * IN, y * IN))
    page.get_by_role("button", name="Done").click()
    page.locator("dialog select").select_option("forest")
    page.get_by_label("Name").fill("Copse")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-terrain]")).to_have_count(5)
    made = scene_of(table)["terrain"][-1]
    assert (made["type"], made["name"]) == ("forest", "Copse")


def test_freeze_gives_a_report_that_stands_alone(page: Page, table: str, faults: list[str]) -> None:
    ready(page, table)
    tap(page, "archers")
    tap(page, "raiders")
    page.locator("#card-place .card").wait_for()
    page.keyboard.press("f")
    page.get_by_label("Player 1").fill("Ana")
    page.get_by_label("Player 2").fill("Ben")
    page.get_by_label("Note").fill("Turn three")
    page.locator("dialog button[type=submit]").click()
    expect(page.locator("dialog h2")).to_contain_text("is stored")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Report").click()
    report = opened.value
    report.on("pageerror", lambda e: faults.append(str(e)))
    expect(report.locator("h1")).to_be_visible()
    assert "Ana – Ben" in report.inner_text("main") and "Turn three" in report.inner_text("main")
    page.get_by_role("button", name="Close").last.click()
    page.keyboard.press("Escape")
    expect(page.locator(".rulings li")).to_have_count(1)


def test_put_it_back(page: Page, table: str) -> None:
    ready(page, table)
    root, name = table.split("/t/")
    edits = f"{root}/api/tables/{name}/edits"
    httpx.post(edits, json={"do": "correct", "piece": "giant", "changes": {"at": [500, 500]}}, timeout=30)
    expect(page.locator("#timeline")).to_be_enabled()
    page.locator("#timeline").focus()
    page.keyboard.press("Home")
    expect(page.locator("#panel h2")).to_have_text("Put it back")
    expect(page.locator("#panel")).to_contain_text("to go")
    expect(page.locator(".ghosts .ghost")).to_have_count(1)
    httpx.post(
        edits, json={"do": "correct", "piece": "giant", "changes": {"at": [15 * IN, 16 * IN]}}, timeout=30
    )
    expect(page.locator(".ghosts .ghost")).to_have_count(0)


def test_keyboard_only(page: Page, table: str) -> None:
    ready(page, table)
    page.locator("#stage").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.piece"):
            break
    first = page.evaluate("document.activeElement.dataset.piece")
    assert first
    page.keyboard.press("Enter")
    expect(page.locator(".piece.selected")).to_have_attribute("data-piece", first)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#card-place .card").wait_for()
    page.keyboard.press("?")
    expect(page.locator("dialog dl.keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog dl.keys")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.locator("dialog input[type=search]")).to_be_focused()
    page.keyboard.type("tro")
    expect(page.locator("dialog .menu")).to_have_text("Trolls")
    page.keyboard.press("Enter")
    expect(page.locator("#panel h2")).to_have_text("Trolls")
    page.keyboard.press("Escape")
    expect(page.locator(".piece.selected")).to_have_count(0)


def test_spanish_all_through(browser: Browser, faults: list[str], table: str) -> None:
    page = open_page(browser, faults, locale="es-ES")
    ready(page, table)
    assert page.evaluate("document.documentElement.lang") == "es"
    tap(page, "archers")
    tap(page, "raiders")
    page.locator("#card-place .card").wait_for()
    text = page.locator("#app").inner_text()
    for wanted in ("mesa quieta", "Otra pregunta", "Congelar", "desde aquí".upper(), "bando A"):
        assert wanted in text, wanted
    assert "Freeze" not in text and "settled" not in text
    page.locator("#lang-button").click()
    expect(page.locator("#status .word")).to_have_text("settled")
    page.context.close()


def test_a_phone(browser: Browser, faults: list[str], table: str) -> None:
    page = open_page(browser, faults, viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    ready(page, table)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    piece(page, "archers").locator(".base").tap()
    expect(page.locator("#panel h2")).to_have_text("Archers")
    piece(page, "raiders").locator(".base").tap()
    page.locator("#card-place .card").wait_for()
    small = page.evaluate(
        """() => [...document.querySelectorAll('button, select, input:not([type=checkbox])')].filter((n) => n.offsetParent
        && getComputedStyle(n).visibility !== 'hidden' && n.id !== 'grip' && n.id !== 'timeline' && (n.offsetHeight < 44 || n.offsetWidth < 44)).map((n) => n.outerHTML.slice(0, 80))"""
    )
    assert small == []
    before = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--sheet')")
    box = page.locator("#grip").bounding_box()
    assert box is not None
    drag(page, (195, box["y"] + 12), (195, 130))
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--sheet')") != before
    page.context.close()


CONTRAST = """() => {
  const rgb = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return c.startsWith('color(srgb') ? [m[0]*255, m[1]*255, m[2]*255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
  const lum = ([r, g, b]) => { const f = (v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
  const out = [];
  for (const node of document.querySelectorAll('#app header *, #side *, #tools *')) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !node.offsetParent || node.closest('[disabled]') || node.closest('svg')) continue;
    let back = null;
    for (let up = node; up && !back; up = up.parentElement) { const c = rgb(getComputedStyle(up).backgroundColor); if (c[3] > .95) back = c; }
    const style = getComputedStyle(node), fore = rgb(style.color), a = lum(fore), b = lum(back ?? [255, 255, 255]);
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05), large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) out.push(`${ratio.toFixed(2)} ${node.className} ${node.textContent.trim().slice(0, 30)}`);
  }
  return out;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_aa(browser: Browser, faults: list[str], table: str, scheme: str) -> None:
    page = open_page(browser, faults, color_scheme=scheme)
    ready(page, table)
    tap(page, "archers")
    expect(page.locator("#panel .others li")).to_have_count(9)
    tap(page, "raiders")
    page.locator("#card-place .card").wait_for()
    assert page.evaluate(CONTRAST) == []
    page.context.close()


def test_tournament_mode_switches_off_what_the_game_forbids(page: Page, address: str) -> None:
    made = httpx.post(
        f"{address}/api/tables", json={"sample": "runewars", "mode": "tournament"}, timeout=30
    ).json()
    ready(page, f"{address}/t/{made['id']}")
    page.keyboard.press("w")
    expect(page.locator(".toast.bad")).to_contain_text("tournament")
    expect(page.locator('[data-tool="whatif"]')).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("sample", ["mage-knight", "runewars", "underworlds", "siege-of-runedar"])
def test_every_game_can_be_asked_by_tapping(page: Page, address: str, sample: str) -> None:
    made = httpx.post(f"{address}/api/tables", json={"sample": sample}, timeout=30).json()
    ready(page, f"{address}/t/{made['id']}")
    names = page.eval_on_selector_all("[data-piece]", "nodes => nodes.map((n) => n.dataset.piece)")
    for name in (names[0], names[-1]):
        piece(page, name).focus()
        page.keyboard.press("Enter")
    page.locator("#card-place .card, dialog form").first.wait_for()
    httpx.delete(f"{address}/api/tables/{made['id']}", timeout=30)


def test_set_up_and_share(page: Page, table: str) -> None:
    ready(page, table)
    page.locator("#setup-button").click()
    cards = page.locator("#setup nav button")
    expect(cards).to_have_count(5)
    page.get_by_label("Name of the table").fill("Top table")
    page.get_by_label("Name of the table").press("Tab")
    expect(page.locator("#table-name")).to_have_text("Top table")
    page.get_by_label("Mode").select_option("tournament")
    expect(page.locator("#game-name")).to_contain_text("tournament")
    cards.nth(4).click()
    expect(page.locator(".link input").first).to_have_value(containing("/overlay/"))
    cards.nth(1).click()
    expect(page.get_by_role("link", name="Corner sheets")).to_be_visible()


def containing(part: str) -> Any:
    import re

    return re.compile(re.escape(part))


def test_home_opens_a_sample(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.locator("#samples button", has_text="Mage Knight").first.click()
    page.wait_for_selector("html[data-ready] [data-piece]")
    assert "/t/" in page.url


def alpha(picture: bytes) -> Any:
    return Image.open(io.BytesIO(picture)).convert("RGBA").getchannel("A")


def test_the_overlay_is_transparent_and_keeps_its_state(
    browser: Browser, faults: list[str], table: str
) -> None:
    root, name = table.split("/t/")
    overlay = f"{root}/api/tables/{name}/overlay"
    question = {"query": "range", "from": "archers", "to": "raiders"}
    httpx.put(overlay, json={"ruling": question, "caption": "Round 3"}, timeout=30)
    page = open_page(browser, faults, viewport={"width": 1920, "height": 1080})
    page.goto(f"{root}/overlay/{name}?show=ruling,caption&aligned=0")
    expect(page.locator("#ruling .card")).to_contain_text("Archers → Raiders")
    page.reload()
    expect(page.locator("#ruling .card")).to_contain_text("Archers → Raiders")
    expect(page.locator("#caption")).to_have_text("Round 3")
    page.wait_for_timeout(400)
    seen = alpha(page.screenshot(omit_background=True))
    assert seen.getpixel((5, 5)) == 0 and seen.getpixel((960, 400)) == 0 and seen.getpixel((1900, 5)) == 0
    assert seen.getpixel((1700, 1000)) > 200
    clear = seen.histogram()[0] / (1920 * 1080)
    assert clear > 0.8
    assert page.evaluate(
        "[document.body.scrollWidth, document.body.scrollHeight, getComputedStyle(document.body).cursor]"
    ) == [1920, 1080, "none"]
    sizes = page.eval_on_selector_all(
        "#widgets *",
        "nodes => nodes.filter((n) => n.offsetParent && n.textContent.trim()).map((n) => parseFloat(getComputedStyle(n).fontSize))",
    )
    assert min(sizes) >= 22
    page.set_viewport_size({"width": 3840, "height": 2160})
    page.wait_for_timeout(300)
    twice = page.locator("#caption").evaluate("n => parseFloat(getComputedStyle(n).fontSize)")
    assert twice == pytest.approx(68, abs=1)
    page.context.close()


def test_the_overlay_fades_when_stale_and_comes_back_by_itself(browser: Browser, tmp_path: Path) -> None:
    faults: list[str] = []
    page = open_page(browser, faults, viewport={"width": 1280, "height": 720})
    with running(tmp_path) as (address, _):
        httpx.put(
            f"{address}/api/tables/1/overlay", json={"caption": "Round 3", "show": ["caption"]}, timeout=30
        )
        page.goto(f"{address}/overlay/1")
        expect(page.locator("#caption")).to_have_text("Round 3")
    expect(page.locator("body")).to_have_class(containing("gone"))
    port = address.rsplit(":", 1)[1]
    with running(tmp_path, "--port", port):
        expect(page.locator("body")).not_to_have_class(containing("gone"))
        expect(page.locator("#caption")).to_have_text("Round 3")
    page.context.close()


def test_measuring_on_the_sample_clip(browser: Browser, faults: list[str], tmp_path: Path) -> None:
    """The clip as if it were a live camera: pieces are seen on the picture, two taps give an answer."""
    clip = clip_samples()[0]
    with running(tmp_path, source=str(clip["path"])) as (address, _):
        page = open_page(browser, faults)
        page.goto(f"{address}/t/1")
        page.wait_for_selector("[data-piece]", timeout=120_000)
        expect(page.locator('[data-view="camera"]')).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".picture image")).to_have_attribute("href", containing("blob:"))
        units = [p["id"] for p in scene_of(f"{address}/t/1")["pieces"] if p["kind"] == "unit"]
        assert len(units) >= 4
        for name in units[:2]:
            piece(page, name).focus()
            page.keyboard.press("Enter")
        page.locator("#card-place .card, dialog form").first.wait_for()
        page.keyboard.press("v")
        expect(page.locator('[data-view="table"]')).to_have_attribute("aria-pressed", "true")
        page.context.close()


def test_a_freeze_of_a_camera_table_holds_its_frames(tmp_path: Path) -> None:
    """A photograph as the camera of a table: it is always settled."""
    sample = next(s for s in samples() if s["kind"] == "picture" and s["game"] == "mage-knight")
    with running(tmp_path, "--game", "mage-knight", source=str(sample["path"])) as (address, _):
        for _ in range(600):
            pieces = [p["id"] for p in scene_of(f"{address}/t/1")["pieces"] if p["kind"] == "model"]
            if (
                len(pieces) > 1
                and httpx.get(f"{address}/health", timeout=30).json()["tables"]["1"] == "settled"
            ):
                break
            time.sleep(0.2)
        question = {"query": "range", "from": pieces[0], "to": pieces[1]}
        answer = httpx.post(f"{address}/api/tables/1/rulings", json={"question": question}, timeout=120)
        assert answer.status_code == 201, answer.text
        ruling = answer.json()
        assert {"frames/01.jpg", "calibration.json", "scene.json"} <= set(ruling["files"])
        assert ruling["model"]["detector"] and ruling["grade"] and ruling["view"]["size"]
        assert httpx.get(f"{address}{ruling['report_html']}", timeout=120).text.count("data:image/png") >= 2
        path = tmp_path / "bundle.zip"
        path.write_bytes(httpx.get(f"{address}{ruling['bundle']}", timeout=120).content)
        assert all(check.ok for check in verify(path, ruling["hash"]))


SHOTS = {
    "page": (DESKTOP, "light", "en", True),
    "page-dark": (DESKTOP, "dark", "es", True),
    "phone": (PHONE, "light", "en", True),
}


def shrunk(picture: bytes, width: int) -> bytes:
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as image:
        return image.size


def test_pictures_of_the_readme(browser: Browser, faults: list[str], table: str, tmp_path: Path) -> None:
    folder = PICTURES if os.environ.get("REGLA_PICTURES") else tmp_path
    root, name = table.split("/t/")
    for title, (size, scheme, lang, _) in SHOTS.items():
        mobile = size is PHONE
        page = open_page(
            browser,
            faults,
            viewport=size,
            color_scheme=scheme,
            locale=f"{lang}-{lang.upper()}",
            has_touch=mobile,
            is_mobile=mobile,
        )
        ready(page, table)
        for who in ("archers", "orcs"):
            piece(page, who).focus()
            page.keyboard.press("Enter")
        page.locator("#card-place .card").wait_for()
        expect(page.locator("#panel .others li")).to_have_count(9)
        page.evaluate("document.activeElement.blur()")
        page.wait_for_timeout(400)
        (folder / f"{title}.png").write_bytes(shrunk(page.screenshot(), 390 if mobile else 1080))
        page.context.close()
    httpx.put(
        f"{root}/api/tables/{name}/overlay",
        json={"ruling": {"query": "range", "from": "archers", "to": "orcs"}, "caption": "Round 3"},
        timeout=30,
    )
    page = open_page(browser, faults, viewport={"width": 1920, "height": 1080})
    page.goto(f"{root}/overlay/{name}?show=ruling,caption,names,scale")
    page.locator("#ruling .card").wait_for()
    page.wait_for_timeout(500)
    seen = Image.open(io.BytesIO(page.screenshot(omit_background=True))).convert("RGBA")
    paper = Image.new("RGBA", seen.size, (112, 128, 112, 255))
    paper.alpha_composite(seen)
    out = io.BytesIO()
    paper.convert("RGB").save(out, "PNG")
    (folder / "overlay.png").write_bytes(shrunk(out.getvalue(), 960))
    page.context.close()
    for title in (*SHOTS, "overlay"):
        assert (PICTURES / f"{title}.png").is_file(), "make the pictures: REGLA_PICTURES=1"
        assert size_of(PICTURES / f"{title}.png") == size_of(folder / f"{title}.png")
