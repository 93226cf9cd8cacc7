// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The callbacks of a directory, made without a lock. Any thread may call it. */
final class DirectoryListeners {
  private final List<Consumer<Node>> changes = new CopyOnWriteArrayList<>();
  private final List<Consumer<Node>> confirmations = new CopyOnWriteArrayList<>();
  private final List<Consumer<Node>> replacements = new CopyOnWriteArrayList<>();
  private final List<Consumer<Node>> removals = new CopyOnWriteArrayList<>();

  void onChange(Consumer<Node> listener) {
    changes.add(listener);
  }

  void onConfirmation(Consumer<Node> listener) {
    confirmations.add(listener);
  }

  void onReplacement(Consumer<Node> listener) {
    replacements.add(listener);
  }

  void onRemoval(Consumer<Node> listener) {
    removals.add(listener);
  }

  void changed(Node node) {
    changes.forEach(listener -> listener.accept(node));
  }

  void confirmed(Node node) {
    confirmations.forEach(listener -> listener.accept(node));
  }

  void replaced(Node former) {
    replacements.forEach(listener -> listener.accept(former));
  }

  void removed(Node node) {
    removals.forEach(listener -> listener.accept(node));
  }
}
