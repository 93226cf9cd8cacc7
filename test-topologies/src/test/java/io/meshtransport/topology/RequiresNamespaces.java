// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Left out, with the reason, where this host allows no network namespaces. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("namespaces")
@ExtendWith(RequiresNamespaces.Condition.class)
public @interface RequiresNamespaces {
  /** Queries the host once. */
  final class Condition implements ExecutionCondition {
    private static final Optional<String> OBSTACLE = Fabric.obstacleToNamespaces();

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return OBSTACLE
          .map(why -> ConditionEvaluationResult.disabled("no network namespaces here: " + why))
          .orElseGet(() -> ConditionEvaluationResult.enabled("network namespaces are possible"));
    }
  }
}
