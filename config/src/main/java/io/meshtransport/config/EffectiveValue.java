// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * The value of a setting and its source.
 *
 * @param setting the setting
 * @param value within its bounds
 * @param source where the value came from
 */
public record EffectiveValue<T>(Setting<T> setting, T value, Source source) {
  public EffectiveValue {
    Objects.requireNonNull(setting, "setting");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(source, "source");
  }

  /** The value as a user would write it, but only the length of a secret. */
  public String text() {
    if (value instanceof OptionalInt number) {
      return number.isPresent() ? String.valueOf(number.getAsInt()) : setting.defaultText();
    }
    if (value instanceof Optional<?> optional) {
      return optional.map(Object::toString).orElse("");
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Object::toString).collect(Collectors.joining(","));
    }
    return value instanceof Enum<?> constant ? Domain.label(constant) : value.toString();
  }
}
