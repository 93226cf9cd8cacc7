// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows of text with aligned columns: numbers to the right, words to the left. One thread. */
final class TextTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... headings) {
    rows.add(List.of(headings));
  }

  TextTable row(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + rows.get(0));
    }
    rows.add(List.of(cells));
    return this;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        String cell = row.get(column);
        String padding = " ".repeat(width(column) - cell.length());
        line.append(column == 0 ? "" : GAP)
            .append(isNumeric(column) ? padding + cell : cell + padding);
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }

  private boolean isNumeric(int column) {
    return rows.size() > 1
        && rows.stream().skip(1).allMatch(row -> row.get(column).matches("[0-9][0-9.,]*|-"));
  }
}
