// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.io.IOException;

/**
 * The one {@link Driver} of several devices, so that a thread that waits for all of them waits in
 * one place: made for the first that opens, closed with the last. Any thread.
 */
public final class SharedDriver {
  private Driver driver;
  private int users;

  /** For a device that opens. */
  synchronized Driver acquire() throws IOException {
    if (users == 0) {
      driver = started(new Driver());
    }
    users++;
    return driver;
  }

  /** Starts a driver; one whose thread cannot be started still has a selector, which it closes. */
  static Driver started(Driver made) {
    boolean isStarted = false;
    try {
      made.start();
      isStarted = true;
      return made;
    } finally {
      if (!isStarted) {
        made.close();
      }
    }
  }

  /** For a device that has removed itself; by a thread that is not the driver's. */
  void release() {
    Driver unused = releaseLast();
    if (unused != null) {
      unused.close();
    }
  }

  private synchronized Driver releaseLast() {
    users--;
    Driver last = users == 0 ? driver : null;
    driver = users == 0 ? null : driver;
    return last;
  }
}
