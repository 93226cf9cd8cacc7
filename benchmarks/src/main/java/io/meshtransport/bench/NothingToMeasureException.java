// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.List;

/** No case matches the filter. A retry with another filter can help. */
public final class NothingToMeasureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param wanted what the names of cases or peers had to hold
   * @param missing a sentence for each program that is not here and has that in its name
   */
  NothingToMeasureException(String wanted, List<String> missing) {
    super(
        missing.isEmpty()
            ? "no case is called '%s'".formatted(wanted)
            : "no case with '%s' can be measured: %s"
                .formatted(wanted, String.join("; ", missing)));
  }
}
