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

/** Reads the sources into a {@link MeshConfig}. Used once, by one thread. */
final class ConfigLoader {
  /** Properties of our own tests, such as seeds; not settings of a transport. */
  private static final String TEST_PROPERTIES = Source.PROPERTY_PREFIX + "test.";

  /** Variables that test harnesses set for their programs. They get no warning. */
  private static final List<String> NOT_OURS =
      List.of(Setting.PREFIX + "NODES", Setting.PREFIX + "CONTRACT_DEVICE");

  /** Settings of earlier versions, each with what replaces it. */
  private static final Map<String, String> REMOVED =
      Map.of(
          "PORT", "MESH_HCA selects a port, for example MESH_HCA=mlx5_0:1",
          "RETRY_COUNT", "the number of retries is fixed",
          "MAX_HALF_OPEN", "the number of half-open handshakes is fixed",
          "CACHE_ENTRIES", "MESH_CACHE_MIB limits the cache",
          "BOUNCE_BUFFERS", "the number of bounce buffers is fixed");

  /** Max number of edits between a setting's name and what counts as a misspelling of it. */
  private static final int MAX_MISSPELLING_EDITS = 2;

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
    // Here a key without the prefix is a mistake, too: this map is for us alone.
    textsBySource.put(Source.EXPLICIT, new TreeMap<>(explicit));
    this.hostName = hostName;
  }

  /** What is meant for us: by the source's prefix, or as a setting's name in another's spelling. */
  private static Map<String, String> startingWith(String prefix, Map<String, String> all) {
    List<String> settings = Setting.all().stream().map(Setting::name).toList();
    Map<String, String> some = new TreeMap<>(all);
    some.keySet().removeIf(key -> !key.startsWith(prefix) && !settings.contains(upper(key)));
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
      // Scripts leave blanks around values; in a secret they may be part of it.
      String value = text == null || setting.isSecret() ? text : text.strip();
      if (value != null && value.isEmpty() && carriesSecret(setting)) {
        throw setting.refuse(
            value,
            source,
            "it is empty, which would let every host in; unset it to mean that",
            null);
      }
      if (value != null && !value.isEmpty()) {
        return setting.read(value, source);
      }
    }
    return setting.readDefault(this::defaultText);
  }

  private static boolean carriesSecret(Setting<?> setting) {
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

  /** Handshakes and data listen at the same addresses, so they cannot share a port. */
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
            if (REMOVED.containsKey(core(name))) {
              warnings.add(removed(name, source));
            } else if (!known.contains(name) && !NOT_OURS.contains(name)) {
              warnings.add(unknown(name, source, known));
              if (!hasSecret) {
                refuseNearlySecret(name, source);
              }
            }
          }
        });
  }

  private static String removed(String name, Source source) {
    return "%s (%s) is no longer a setting, so it has no effect: %s. Unset it."
        .formatted(name, source.label(), REMOVED.get(core(name)));
  }

  /** The warning omits the value, because a misspelled secret is a secret. */
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
   * A misspelled name has no effect, and a secret without effect lets every host in. So names that
   * are nearly a secret's are refused.
   */
  private void refuseNearlySecret(String name, Source source) {
    boolean isNearly =
        Stream.of(Setting.SECRET, Setting.SECRET_FILE)
            .map(setting -> core(setting.name()))
            .anyMatch(
                secret -> Suggestion.editDistance(core(name), secret) <= MAX_MISSPELLING_EDITS);
    if (isNearly) {
      throw new ConfigException(
          name,
          source,
          warnings.get(warnings.size() - 1)
              + " A node whose secret has no effect would let every host in. Correct it or unset it.",
          null);
    }
  }

  /** The name without its prefix, in upper case, so that names of all sources compare. */
  private static String core(String name) {
    String upper = upper(name);
    return upper.startsWith(Setting.PREFIX) ? upper.substring(Setting.PREFIX.length()) : upper;
  }

  private static String upper(String name) {
    return name.toUpperCase(Locale.ROOT).replace('.', '_');
  }
}
