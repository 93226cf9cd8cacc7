package io.meshtransport.transport;

import io.meshtransport.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Closes what was opened, children before parents, unless all went well. Confined to the method
 * that makes it.
 */
final class Undo implements AutoCloseable {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  <T extends AutoCloseable> T on(T resource) {
    opened.push(resource);
    return resource;
  }

  /** All went well: {@link #close} closes nothing. */
  void keepAll() {
    opened.clear();
  }

  @Override
  public void close() throws VerbsException {
    while (!opened.isEmpty()) {
      AutoCloseable resource = opened.pop();
      try {
        resource.close();
      } catch (VerbsException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(resource + " cannot be closed", e);
      }
    }
  }
}
