// SPDX-License-Identifier: MIT
// The button for dark and light. redraw is called after a change, also of the browser's setting.
function usermmTheme(redraw) {
	"use strict";
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const button = document.getElementById("theme");

	button.hidden = false;
	button.addEventListener("click", () => {
		const root = document.documentElement;
		const now = root.dataset.theme || (dark.matches ? "dark" : "light");

		root.dataset.theme = now === "dark" ? "light" : "dark";
		redraw();
	});
	dark.addEventListener("change", redraw);
}
