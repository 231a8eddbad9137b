# SPDX-License-Identifier: MIT
# Arrays, expansions, and many forks of the preloaded shell.
set -eu
declare -A seen
words=()
for ((i = 0; i < 20000; i++)); do
	key=$((i * 7919 % 4999))
	seen[$key]="${seen[$key]-}$i "
	words+=("w$key")
done
joined="${words[*]}"
echo "${#seen[@]} ${#words[@]} ${#joined} ${seen[17]}"
echo "${joined//w1/W}" | wc -c
total=0
for i in {1..100}; do
	status=0
	(exit $((i % 7))) || status=$?
	total=$((total + status + $(echo "${words[i]}" | wc -c)))
done
echo "$total"
for i in {1..60}; do
	(echo "${words[$i]}") &
done | sort | tail -1
wait
printf '%s\n' "${words[@]}" | sort -u | wc -l
