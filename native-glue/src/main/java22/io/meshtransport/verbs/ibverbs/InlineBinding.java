// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import java.util.Map;

/** Binds {@link InlineVerbs} through java.lang.foreign: what Java 22 and newer load instead. */
final class InlineBinding {
  private InlineBinding() {}

  /** As in the class that older Javas load; the library is there already, so its name is idle. */
  static InlineVerbs of(String library, Map<String, Long> addresses) {
    return new ForeignInlineVerbs(addresses);
  }

  static String way() {
    return "java.lang.foreign";
  }
}
