// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.collectives;

import io.meshtransport.collectives.exec.StreamPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The trees that share the elements of an operation, beside each other: up each tree ranks'
 * elements become sums, and down it the results go to all. As text.
 *
 * @param names of the ranks
 * @param plan the operation's, as {@link io.meshtransport.collectives.Collective#plan} explains it
 */
record TreePicture(List<String> names, String plan) {
  private static final Pattern TREE = Pattern.compile("(\\d+) elements by parents \\[([-0-9, ]+)]");
  private static final int PERCENT = 100;
  private static final int GAP = 4;

  /** Empty if the plan has no trees. */
  @Override
  public String toString() {
    List<MatchResult> trees = TREE.matcher(plan).results().toList();
    double all = trees.stream().mapToLong(each -> Long.parseLong(each.group(1))).sum();
    List<List<String>> pictures = new ArrayList<>();
    for (MatchResult tree : trees) {
      List<Integer> parents =
          Arrays.stream(tree.group(2).split(", ")).map(Integer::valueOf).toList();
      List<String> lines = new ArrayList<>();
      lines.add("%.0f %%".formatted(PERCENT * Long.parseLong(tree.group(1)) / all));
      draw(parents, parents.indexOf(StreamPlan.ROOT), "", "", lines);
      pictures.add(lines);
    }
    return beside(pictures);
  }

  /**
   * @param before what the line of this rank begins with
   * @param below what those of its children begin with
   */
  private void draw(
      List<Integer> parents, int rank, String before, String below, List<String> lines) {
    lines.add(before + names.get(rank));
    List<Integer> children =
        IntStream.range(0, parents.size()).filter(i -> parents.get(i) == rank).boxed().toList();
    for (int child : children) {
      boolean isLast = child == children.get(children.size() - 1);
      draw(
          parents,
          child,
          below + (isLast ? "└─ " : "├─ "),
          below + (isLast ? "   " : "│  "),
          lines);
    }
  }

  private static String beside(List<List<String>> pictures) {
    StringBuilder text = new StringBuilder();
    int height = pictures.stream().mapToInt(List::size).max().orElse(0);
    for (int line = 0; line < height; line++) {
      StringBuilder row = new StringBuilder();
      for (List<String> picture : pictures) {
        int width = picture.stream().mapToInt(String::length).max().orElse(0) + GAP;
        String cell = line < picture.size() ? picture.get(line) : "";
        row.append(cell).append(" ".repeat(width - cell.length()));
      }
      text.append(line == 0 ? "" : System.lineSeparator())
          .append(" ".repeat(GAP))
          .append(row.toString().stripTrailing());
    }
    return text.toString();
  }
}
