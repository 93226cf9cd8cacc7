// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import java.util.List;

/** A rectangle of a drawing, in pixels; its middle and its size. */
record Box(double x, double y, double width, double height) {
  boolean overlaps(Box other, double gap) {
    return Math.abs(x - other.x) * 2 < width + other.width + 2 * gap
        && Math.abs(y - other.y) * 2 < height + other.height + 2 * gap;
  }

  boolean overlapsAny(List<Box> others, double gap) {
    return others.stream().anyMatch(each -> overlaps(each, gap));
  }

  double left() {
    return x - width / 2;
  }

  double top() {
    return y - height / 2;
  }

  /** Whether a line from one point to another passes through it (Liang and Barsky's clipping). */
  boolean isCrossedBy(Segment line) {
    double dx = line.x2() - line.x1();
    double dy = line.y2() - line.y1();
    double[] p = {-dx, dx, -dy, dy};
    double[] q = {
      line.x1() - left(), left() + width - line.x1(), line.y1() - top(), top() + height - line.y1()
    };
    double from = 0;
    double to = 1;
    for (int i = 0; i < p.length; i++) {
      if (p[i] == 0) {
        if (q[i] < 0) {
          return false;
        }
      } else if (p[i] < 0) {
        from = Math.max(from, q[i] / p[i]);
      } else {
        to = Math.min(to, q[i] / p[i]);
      }
    }
    return from < to;
  }
}
