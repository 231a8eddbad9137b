# SPDX-License-Identifier: MIT
{
	count[$1 % 997]++
	longest[$1 % 997] = longest[$1 % 997] "," substr($2, 1, 3)
	gsub(/[aeiou]/, "", $2)
	bytes += length($2)
}
END {
	for (key in count) {
		groups++
		joined += length(longest[key])
	}
	print NR, groups, bytes, joined, count[0], length(longest[1])
}
