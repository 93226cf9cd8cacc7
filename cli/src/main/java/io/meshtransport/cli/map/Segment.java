// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

/** A straight line of a drawing, in pixels. */
record Segment(double x1, double y1, double x2, double y2) {
  double length() {
    return Math.sqrt((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1));
  }

  /** The x of a point on it, 0 to 1. */
  double x(double share) {
    return x1 + share * (x2 - x1);
  }

  /** The y of a point on it, 0 to 1. */
  double y(double share) {
    return y1 + share * (y2 - y1);
  }
}
