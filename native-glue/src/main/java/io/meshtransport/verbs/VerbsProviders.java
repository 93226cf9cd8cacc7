// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Chooses the verbs provider of a transport. Any thread; stateless. */
public final class VerbsProviders {
  /** The value of MESH_PROVIDER that leaves the choice to this class. */
  public static final String AUTO = "auto";

  private VerbsProviders() {}

  /**
   * The provider of a name among those on the class path, or under {@link #AUTO} the available one
   * with the highest rank.
   *
   * @param name the value of MESH_PROVIDER: {@code auto}, {@code ibverbs} or {@code soft}
   * @throws VerbsException ENODEV if there is no such provider or it is unavailable; the text lists
   *     every provider with its reason. A retry helps only after the host has changed.
   */
  public static VerbsProvider choose(String name) throws VerbsException {
    return choose(name, installed());
  }

  /** As {@link #choose(String)}, among these. */
  public static VerbsProvider choose(String name, List<VerbsProvider> providers)
      throws VerbsException {
    return providers.stream()
        .filter(provider -> name.equals(AUTO) || name.equals(provider.name()))
        .filter(provider -> provider.availability().available())
        .max(Comparator.comparingInt(VerbsProvider::rank))
        .orElseThrow(() -> new VerbsException(Errno.ENODEV, refusal(name, providers)));
  }

  /**
   * The providers of this class's loader first, because a container's threads do not see ours. Then
   * those of the thread's context class loader; a class found by both counts once.
   */
  private static List<VerbsProvider> installed() {
    Map<Class<?>, VerbsProvider> found = new LinkedHashMap<>();
    add(VerbsProviders.class.getClassLoader(), found);
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    if (knowsUs(context)) {
      add(context, found);
    }
    return List.copyOf(found.values());
  }

  private static void add(ClassLoader loader, Map<Class<?>, VerbsProvider> found) {
    ServiceLoader.load(VerbsProvider.class, loader).stream()
        .filter(each -> !found.containsKey(each.type()))
        .forEach(each -> found.put(each.type(), each.get()));
  }

  /** A loader with a copy of its own has providers for that. */
  private static boolean knowsUs(ClassLoader loader) {
    try {
      return Class.forName(VerbsProvider.class.getName(), false, loader) == VerbsProvider.class;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static String refusal(String name, List<VerbsProvider> providers) {
    String reasons =
        providers.stream()
            .map(provider -> "\n  " + provider.name() + ": " + verdict(provider.availability()))
            .collect(Collectors.joining());
    return "MESH_PROVIDER="
        + name
        + " cannot be had here. Choose auto or an available one of these:"
        + (reasons.isEmpty() ? "\n  (no provider is on the class path)" : reasons);
  }

  private static String verdict(Availability availability) {
    return (availability.available() ? "available: " : "not available: ") + availability.reason();
  }
}
