// SPDX-License-Identifier: MIT
// Draws the tree of calls as a flame graph, and shows another figure in the table when asked to.
(function () {
	"use strict";
	const IS_BYTES = [true, false, true, false], CELL_HEIGHT = 20, LEAST_PIXELS = 0.5;
	const calls = JSON.parse(document.getElementById("calls").textContent);
	const byId = id => document.getElementById(id);
	const place = byId("flame"), table = byId("functions"), details = byId("details");
	const rows = [...table.tBodies[0].rows];

	function sizeText(value, isBytes, plus) {
		const units = ["B", "KiB", "MiB", "GiB", "TiB"], sign = plus && value > 0 ? "+" : "";
		let i = 0;

		if (!isBytes)
			return sign + Math.round(value);
		for (; Math.abs(value) >= 1023.95 && i + 1 < units.length; i++)
			value /= 1024;
		return `${sign}${value.toFixed(i ? 1 : 0)} ${units[i]}`;
	}

	const figure = () => Number(byId("figure").value);
	const widths = () => calls.hasBefore ? byId("widths").value : "now";
	const text = (value, plus) => sizeText(value, IS_BYTES[figure()], plus);

	// --- The graph ----------------------------------------------------------------

	// A frame for d3: what is now and was before, and how wide it is, its callees' included.
	function frameOf(node) {
		const at = values => values ? values[figure()] : 0;
		const frame = { name: calls.names[node[0]], now: at(node[1]), before: at(node[3]) };

		frame.value = { now: frame.now, before: frame.before,
				growth: Math.max(frame.now - frame.before, 0) }[widths()];
		frame.children = node[2].map(frameOf).filter(child => child.value > 0 || child.now > 0 ||
								    child.before > 0);
		for (const child of frame.children) {
			frame.now += child.now;
			frame.before += child.before;
			frame.value += child.value;
		}
		frame.children = frame.children.filter(child => child.value > 0);
		return frame;
	}

	function isDark() {
		const theme = document.documentElement.dataset.theme;

		return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
	}

	function hash(name) {
		let sum = 0;

		for (const letter of name)
			sum = (sum * 31 + letter.codePointAt(0)) % 9973;
		return sum / 9973;
	}

	// Red is what grew, blue is what shrank; else each function has a hue of its own.
	function colour(node) {
		const dark = isDark(), name = node.data.name;
		const light = share => dark ? 22 + 18 * share : 92 - 30 * share;

		if (node.highlight)
			return dark ? "#8250df" : "#c297ff";
		if (calls.hasBefore) {
			const most = Math.max(node.data.now, node.data.before, 1);
			const share = (node.data.now - node.data.before) / most;

			return `hsl(${share < 0 ? 212 : 4} ${share ? 70 : 0}% ${light(Math.abs(share))}%)`;
		}
		if (/^\(|\+0x[0-9a-f]+$|^0x[0-9a-f]+$/.test(name))
			return `hsl(0 0% ${dark ? 30 : 82}%)`;
		return `hsl(${12 + 40 * hash(name)} ${dark ? 50 : 85}% ${light(hash(name + "."))}%)`;
	}

	function label(node) {
		const frame = node.data, all = root.value || 1;
		const share = (100 * frame.value / all).toFixed(1);
		const growth = calls.hasBefore ? `, ${text(frame.now - frame.before, true)}: ` +
			`${text(frame.before)} before, ${text(frame.now)} now` : "";

		return `${frame.name}: ${text(frame.value)} (${share} %)${growth}`;
	}

	// "=name" finds the function of that name, other terms what has them in its name.
	function matches(node, term) {
		const name = node.data ? node.data.name : node.name;

		return term.startsWith("=") ? name === term.slice(1) :
			name.toLowerCase().includes(term.toLowerCase());
	}

	let graph, root;

	function draw() {
		root = frameOf(calls.root);
		place.replaceChildren();
		details.textContent = root.value > 0 ? "" : widths() === "growth" ?
			"Nothing has grown; choose another figure, or other widths." :
			"No function has any; choose another figure.";
		if (!(root.value > 0))
			return;
		graph = flamegraph.default().width(place.clientWidth).cellHeight(CELL_HEIGHT).inverted(true)
			.minFrameSize(LEAST_PIXELS).transitionDuration(0).sort((a, b) =>
				b.data.value - a.data.value)
			.setColorMapper(colour).setLabelHandler(label).setDetailsElement(details)
			.setSearchMatch(matches).setSearchHandler((found, sum, total) => {
				details.textContent = `found: ${text(sum)} of ${text(total)} ` +
					`(${(100 * sum / (total || 1)).toFixed(1)} %)`;
			});
		d3.select(place).datum(root).call(graph);
		find();
		document.body.dataset.frames = place.querySelectorAll("g.frame").length;
	}

	function find() {
		const term = byId("find").value;

		for (const row of rows)
			row.classList.toggle("chosen", "=" + row.cells[0].textContent === term);
		if (!graph)
			return;
		if (term)
			graph.search(term);
		else
			graph.clear();
	}

	// --- The table ----------------------------------------------------------------

	const valueOf = (row, key) => Number((row.dataset[key] || "0 0 0 0").split(" ")[figure()]);

	function valuesOf(row) {
		const self = valueOf(row, "self"), total = valueOf(row, "total");

		return calls.hasBefore ? [self - valueOf(row, "selfBefore"),
					  total - valueOf(row, "totalBefore"), self, total] :
			[self, total];
	}

	let sortedBy = 1;

	function fill() {
		for (const row of rows)
			valuesOf(row).forEach((value, i) => {
				row.cells[i + 1].textContent = text(value, calls.hasBefore && i < 2);
			});
		rows.sort((a, b) => sortedBy ? valuesOf(b)[sortedBy - 1] - valuesOf(a)[sortedBy - 1] :
			a.cells[0].textContent.localeCompare(b.cells[0].textContent));
		table.tBodies[0].append(...rows);
	}

	[...table.tHead.rows[0].cells].forEach((cell, i) => cell.addEventListener("click", () => {
		sortedBy = i;
		fill();
	}));
	table.tBodies[0].addEventListener("click", event => {
		const row = event.target.closest("tr"), term = "=" + row.cells[0].textContent;

		byId("find").value = byId("find").value === term ? "" : term;
		find();
	});

	// --- Controls -----------------------------------------------------------------

	byId("figure").addEventListener("change", () => {
		draw();
		fill();
	});
	if (calls.hasBefore)
		byId("widths").addEventListener("change", draw);
	byId("find").addEventListener("input", find);
	byId("whole").addEventListener("click", () => graph && graph.resetZoom());
	addEventListener("resize", draw);
	usermmTheme(draw);
	document.querySelector(".controls").hidden = false;
	draw();
})();
