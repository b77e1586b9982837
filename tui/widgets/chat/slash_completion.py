"""Offers commands while somebody types a slash and some letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from tui.widgets.chat.slash_offers import SlashOffer, is_command, slash_hint, slash_offers

if TYPE_CHECKING:
    from tui.widgets.chat.prompt import Prompt
    from tui.widgets.chat.slash_popup import SlashPopup


class SlashCompletion:
    """Joins the prompt with its list, which is made when it is first needed."""

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt
        self._popup: SlashPopup | None = None
        self._is_refused = False

    def look(self) -> None:
        """The text is another one."""
        text = self._prompt.text
        if not text.startswith("/"):
            self._is_refused = False
        offers = self._offers
        hint = slash_hint(text) if not offers and not self._is_refused else None
        shown = offers or ((hint,) if hint else ())
        if not shown or not self._prompt.has_focus:
            self.put_away()
            return
        if self._popup is None:
            from tui.widgets.chat.slash_popup import SlashPopup

            holder = self._prompt.parent
            assert isinstance(holder, Widget)  # the prompt is in a pane
            self._popup = SlashPopup(self.choose)
            holder.mount(self._popup)
            self._prompt.call_after_refresh(self.look)
            return
        self._popup.offer(shown, self._prompt.region, has_cursor=bool(offers))

    def put_away(self) -> None:
        """No list any more."""
        if self._popup is not None:
            self._popup.offer((), self._prompt.region, has_cursor=False)

    def take_key(self, key: str) -> bool:
        """A key while commands are offered; whether it was one for them."""
        offers = self._offers
        if not offers:
            return False
        if key == "escape":
            self._is_refused = True
            self.put_away()
        elif key == "tab":
            self._complete(self._chosen(offers))
        elif key == "enter":
            if is_command(self._prompt.text):
                return False
            self.choose()
        else:
            return self._popup is not None and self._popup.display and self._popup.take_key(key)
        return True

    def choose(self) -> None:
        """Take the chosen command, and run it when there is nothing to add."""
        offers = self._offers
        if not offers:
            return
        chosen = self._chosen(offers)
        self._complete(chosen)
        if not chosen.verb.argument:
            self._prompt.submit()

    @property
    def _offers(self) -> tuple[SlashOffer, ...]:
        # Not what is shown: a key may come before the list does.
        return () if self._is_refused else slash_offers(self._prompt.text)

    def _chosen(self, offers: tuple[SlashOffer, ...]) -> SlashOffer:
        popup = self._popup
        is_current = popup is not None and popup.offers == offers
        chosen = popup.chosen if popup is not None and is_current else None
        return chosen or offers[0]

    def _complete(self, offer: SlashOffer) -> None:
        self._prompt.set_text(f"{offer.verb.slash}{' ' if offer.verb.argument else ''}")
