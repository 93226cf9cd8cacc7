// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Closes what was opened, children before parents, unless all went well. Confined to the method
 * that makes it.
 */
public final class Rollback implements AutoCloseable {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  public <T extends AutoCloseable> T on(T resource) {
    opened.push(resource);
    return resource;
  }

  /** All went well: {@link #close} closes nothing. */
  public void keepAll() {
    opened.clear();
  }

  /** One that cannot be closed keeps none of the others open; throws the first such failure. */
  @Override
  public void close() throws VerbsException {
    VerbsException first = null;
    while (!opened.isEmpty()) {
      try {
        close(opened.pop());
      } catch (VerbsException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private static void close(AutoCloseable resource) throws VerbsException {
    try {
      resource.close();
    } catch (VerbsException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(resource + " cannot be closed", e);
    }
  }
}
