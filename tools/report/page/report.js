// SPDX-License-Identifier: MIT
// Draws a plot beside each table of the page. The table is the only source of the numbers.
(function () {
	"use strict";
	const HEIGHT = 320, COLOURS = 8;

	function colour(name) {
		return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	}

	function seriesColour(i) {
		return colour("--s" + (i % COLOURS));
	}

	// The numbers of a table: names of rows and series, and for each series its values.
	function read(figure) {
		const table = figure.querySelector("table");
		const names = [...table.tHead.rows[0].cells].slice(1).map(cell => cell.textContent);
		const rows = [...table.tBodies[0].rows];
		const number = (cell, key) => key in cell.dataset ? Number(cell.dataset[key]) : null;
		const column = (i, key) => rows.map(row => number(row.cells[i + 1], key));

		return {
			unit: figure.dataset.unit, x: figure.dataset.x, names,
			rows: rows.map(row => row.cells[0].textContent),
			values: names.map((_, i) => column(i, "value")),
			low: names.map((_, i) => column(i, "low")),
			high: names.map((_, i) => column(i, "high")),
		};
	}

	// A category is one wide; its bars share nine tenths of it.
	function barPlace(data, series, row) {
		const width = 0.9 / data.names.length;

		return { from: row - 0.45 + series * width, width: width * 0.92 };
	}

	function barPaths(data) {
		return (u, series, first, last) => {
			const fill = new Path2D(), base = u.valToPos(0, "y", true);

			for (let row = first; row <= last; row++) {
				const value = data.values[series - 1][row];

				if (value === null)
					continue;
				const place = barPlace(data, series - 1, row);
				const left = u.valToPos(place.from, "x", true);
				const right = u.valToPos(place.from + place.width, "x", true);
				const top = u.valToPos(value, "y", true);
				fill.rect(left, Math.min(top, base), Math.max(right - left, 1),
					  Math.abs(base - top));
			}
			return { fill, stroke: null, clip: null, flags: 1 };
		};
	}

	// The range in which the values of a bar lie.
	function drawSpreads(u, data) {
		const context = u.ctx;

		context.save();
		context.strokeStyle = colour("--text");
		context.lineWidth = devicePixelRatio;
		data.names.forEach((_, series) => data.rows.forEach((_, row) => {
			const low = data.low[series][row], high = data.high[series][row];

			if (low === null || !u.series[series + 1].show)
				return;
			const place = barPlace(data, series, row);
			const middle = u.valToPos(place.from + place.width / 2, "x", true);
			const y0 = u.valToPos(low, "y", true), y1 = u.valToPos(high, "y", true);
			const half = 3 * devicePixelRatio;
			context.beginPath();
			context.moveTo(middle, y0);
			context.lineTo(middle, y1);
			for (const y of [y0, y1]) {
				context.moveTo(middle - half, y);
				context.lineTo(middle + half, y);
			}
			context.stroke();
		}));
		context.restore();
	}

	function shown(value) {
		return value === null || value === undefined ? "-" :
			Number(value.toPrecision(4)).toString();
	}

	function axis(more) {
		return Object.assign({
			stroke: colour("--text"), grid: { stroke: colour("--line"), width: 1 },
			ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui, sans-serif",
			labelFont: "12px system-ui, sans-serif",
		}, more);
	}

	function highest(data) {
		let most = 0;

		for (const table of [data.values, data.high])
			for (const column of table)
				for (const value of column)
					most = Math.max(most, value || 0);
		return most > 0 ? most * 1.05 : 1;
	}

	function options(figure, data, width) {
		const isBars = figure.dataset.kind === "bars";
		const category = index => data.rows[index] === undefined ? "" : data.rows[index];
		const series = data.names.map((name, i) => ({
			label: name, stroke: seriesColour(i), width: isBars ? 0 : 1.5,
			fill: isBars ? seriesColour(i) : undefined, spanGaps: true,
			dash: !isBars && i >= COLOURS ? [6, 4] : undefined,
			points: { show: !isBars && data.rows.length < 2 },
			paths: isBars ? barPaths(data) : undefined,
			value: (u, value) => shown(value),
		}));
		const x = isBars ? {
			label: data.x || undefined, splits: () => data.rows.map((_, i) => i),
			values: (u, splits) => splits.map(category), grid: { show: false },
			rotate: data.rows.length > 8 && !data.x ? -45 : 0,
			size: data.rows.length > 8 && !data.x ? 90 : 40,
		} : { label: data.x || undefined };

		return {
			width, height: HEIGHT, series: [{
				label: data.x || "row",
				value: (u, value) => value === null ? "-" :
					isBars ? category(value) : shown(value),
			}, ...series],
			scales: {
				x: isBars ? { time: false, range: [-0.5, data.rows.length - 0.5] } :
					{ time: false },
				y: { range: [0, highest(data)] },
			},
			axes: [axis(x), axis({ label: data.unit, size: 60 })],
			cursor: { drag: { x: !isBars, y: false } },
			hooks: { draw: isBars ? [u => drawSpreads(u, data)] : [] },
		};
	}

	const plots = new Map();

	function draw(figure) {
		const place = figure.querySelector(".plot"), data = read(figure);
		const isBars = figure.dataset.kind === "bars";
		const x = data.rows.map((name, i) => isBars ? i : Number(name));

		if (!data.rows.length)
			return;
		if (plots.has(figure))
			plots.get(figure).destroy();
		plots.set(figure, new uPlot(options(figure, data, place.clientWidth),
					    [x, ...data.values], place));
	}

	function drawAll() {
		document.querySelectorAll("figure.chart").forEach(draw);
	}

	function resizeAll() {
		plots.forEach((plot, figure) => plot.setSize({
			width: figure.querySelector(".plot").clientWidth, height: HEIGHT,
		}));
	}

	usermmTheme(drawAll);
	addEventListener("resize", resizeAll);
	drawAll();
	document.body.dataset.plots = plots.size;
})();
