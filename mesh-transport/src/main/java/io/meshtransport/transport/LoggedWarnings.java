// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The warnings of settings that were logged, so that each is logged once, however many transports a
 * process opens. Any thread.
 */
final class LoggedWarnings {
  /** Max warnings that are remembered; further ones are logged each time. */
  static final int MAX = 64;

  private final Set<String> logged = new HashSet<>();

  /** Those of some warnings that were not logged yet, which count as logged from now on. */
  synchronized List<String> add(List<String> warnings) {
    List<String> news = warnings.stream().filter(each -> !logged.contains(each)).toList();
    news.stream().limit(MAX - logged.size()).forEach(logged::add);
    return news;
  }
}
