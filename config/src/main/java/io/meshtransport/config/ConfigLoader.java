// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/** One reading of the sources into a {@link MeshConfig}; used once, by one thread. */
final class ConfigLoader {
  /** Seeds and the like, which our own tests take; no settings of a transport. */
  private static final String TEST_PROPERTIES = Source.PROPERTY_PREFIX + "test.";

  /** What harnesses tell the programs they start, and a transport need not know: no mistake. */
  private static final List<String> NOT_OURS =
      List.of(Setting.PREFIX + "NODES", Setting.PREFIX + "CONTRACT_DEVICE");

  /** So many wrong characters are a slip of the hand. */
  private static final int NEARLY = 2;

  private final Map<Source, Map<String, String>> textsBySource = new TreeMap<>();
  private final String hostName;
  private final List<String> warnings = new ArrayList<>();

  ConfigLoader(
      Map<String, String> environment,
      Properties system,
      Map<String, String> explicit,
      String hostName) {
    Map<String, String> properties = new TreeMap<>();
    for (String key : system.stringPropertyNames()) {
      if (!key.startsWith(TEST_PROPERTIES)) {
        properties.put(key, system.getProperty(key));
      }
    }
    textsBySource.put(Source.ENVIRONMENT, startingWith(Setting.PREFIX, environment));
    textsBySource.put(Source.SYSTEM_PROPERTY, startingWith(Source.PROPERTY_PREFIX, properties));
    // All of it: a key without the prefix is a mistake here, not somebody else's.
    textsBySource.put(Source.EXPLICIT, new TreeMap<>(explicit));
    this.hostName = hostName;
  }

  private static Map<String, String> startingWith(String prefix, Map<String, String> all) {
    Map<String, String> some = new TreeMap<>(all);
    some.keySet().removeIf(key -> !key.startsWith(prefix));
    return some;
  }

  MeshConfig load() {
    Map<Setting<?>, EffectiveValue<?>> values = new LinkedHashMap<>();
    for (Setting<?> setting : Setting.all()) {
      values.put(setting, effective(setting));
    }
    EffectiveValue<Optional<Secret>> secret = secret();
    values.put(Setting.SECRET, secret);
    requireNoCompat(secret);
    requireTwoPorts();
    warnOfUnknownNames(secret.value().isPresent());
    return new MeshConfig(values, warnings);
  }

  private <T> EffectiveValue<T> effective(Setting<T> setting) {
    for (Source source : List.of(Source.EXPLICIT, Source.SYSTEM_PROPERTY, Source.ENVIRONMENT)) {
      String text = textsBySource.get(source).get(source.spell(setting.name()));
      // Blanks around a value come from scripts; in a secret they may be meant.
      String value = text == null || setting.isSecret() ? text : text.strip();
      if (value != null && value.isEmpty() && bringsSecret(setting)) {
        throw setting.refuse(
            value,
            source,
            "it is empty, which would let everybody in; unset it to mean that",
            null);
      }
      if (value != null && !value.isEmpty()) {
        return setting.read(value, source);
      }
    }
    return setting.readDefault(this::defaultText);
  }

  private static boolean bringsSecret(Setting<?> setting) {
    return setting == Setting.SECRET || setting == Setting.SECRET_FILE;
  }

  private String defaultText(Setting<?> setting) {
    return setting == Setting.NODE ? hostName : setting.defaultText();
  }

  private EffectiveValue<Optional<Secret>> secret() {
    EffectiveValue<Optional<Secret>> direct = effective(Setting.SECRET);
    EffectiveValue<String> file = effective(Setting.SECRET_FILE);
    EffectiveValue<Optional<Secret>> secret = direct;
    if (!file.value().isEmpty()) {
      if (direct.value().isPresent()) {
        throw Setting.SECRET_FILE.refuse(
            file.value(),
            file.source(),
            "MESH_SECRET is set too (%s); unset one of the two".formatted(direct.source().label()),
            null);
      }
      secret = SecretFile.read(file, warnings);
    }
    if (secret.value().filter(key -> key.lengthBytes() < Secret.WEAK_BELOW_BYTES).isPresent()) {
      warnings.add(
          "MESH_SECRET has fewer than %d bytes and may be guessed; `openssl rand -base64 32` makes a good one"
              .formatted(Secret.WEAK_BELOW_BYTES));
    }
    return secret;
  }

  /** The C plugin's wire has no authentication, so a secret would have no effect on it. */
  private void requireNoCompat(EffectiveValue<Optional<Secret>> secret) {
    EffectiveValue<Compat> compat = effective(Setting.COMPAT);
    if (compat.value() == Compat.NCCL_MESH && secret.value().isPresent()) {
      throw new ConfigException(
          Setting.COMPAT.name(),
          compat.source(),
          "MESH_COMPAT=nccl-mesh (%s) lets in every host that reaches a port, for the C plugin's wire has no"
                  .formatted(compat.source().label())
              + " authentication; MESH_SECRET (%s) forbids just that. Unset one of them."
                  .formatted(secret.source().label()),
          null);
    }
  }

  /** Both listen at the same addresses: one of them would find the other's port in use. */
  private void requireTwoPorts() {
    EffectiveValue<Integer> handshake = effective(Setting.HANDSHAKE_PORT);
    EffectiveValue<Integer> data = effective(Setting.DATA_PORT);
    if (handshake.value().equals(data.value()) && data.value() != 0) {
      EffectiveValue<Integer> changed = data.source() == Source.DEFAULT ? handshake : data;
      throw new ConfigException(
          changed.setting().name(),
          changed.source(),
          "MESH_HANDSHAKE_PORT (%s) and MESH_DATA_PORT (%s) are both %d, and each needs a port of its own. Change one of them."
              .formatted(handshake.source().label(), data.source().label(), data.value()),
          null);
    }
  }

  private void warnOfUnknownNames(boolean hasSecret) {
    textsBySource.forEach(
        (source, texts) -> {
          List<String> known =
              Setting.all().stream().map(setting -> source.spell(setting.name())).toList();
          for (String name : texts.keySet()) {
            if (!known.contains(name) && !NOT_OURS.contains(name)) {
              warnings.add(unknown(name, source, known));
              if (!hasSecret) {
                refuseNearlySecret(name, source);
              }
            }
          }
        });
  }

  /** Without the value: a misspelt secret is a secret. */
  private static String unknown(String name, Source source, List<String> known) {
    return "%s (%s) is not a setting%s"
        .formatted(
            name,
            source.label(),
            Suggestion.of(core(name), known.stream().map(ConfigLoader::core).toList())
                .map(
                    near ->
                        ", so it has no effect; did you mean "
                            + source.spell(Setting.PREFIX + near)
                            + "?")
                .orElse(", so it has no effect"));
  }

  /**
   * Most misspelt names cost nothing but their effect; of a secret that is to let everybody in. So
   * names that are nearly a secret's are refused, whoever they were meant for.
   */
  private void refuseNearlySecret(String name, Source source) {
    boolean isNearly =
        Stream.of(Setting.SECRET, Setting.SECRET_FILE)
            .map(setting -> core(setting.name()))
            .anyMatch(secret -> Suggestion.editDistance(core(name), secret) <= NEARLY);
    if (isNearly) {
      throw new ConfigException(
          name,
          source,
          warnings.get(warnings.size() - 1)
              + " A node whose secret has no effect would let everybody in. Correct it or unset it.",
          null);
    }
  }

  /** What tells a name from others, however it is spelled. */
  private static String core(String name) {
    String upper = name.toUpperCase(Locale.ROOT).replace('.', '_');
    return upper.startsWith(Setting.PREFIX) ? upper.substring(Setting.PREFIX.length()) : upper;
  }
}
