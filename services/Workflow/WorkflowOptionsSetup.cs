using DroneDelivery.Calls;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.Workflow.DeadLetters;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow;

internal static class WorkflowOptionsSetup
{
    public static void AddWorkflowOptions(this IServiceCollection services) =>
        services
            .AddValidatedOptions<WorkflowOptions>(WorkflowOptions.Section)
            .Validate(
                options => options.PrefetchCount == 0 || options.PrefetchCount >= options.MaxConcurrentCalls,
                "Workflow:PrefetchCount: limits the concurrency below Workflow:MaxConcurrentCalls. Set it to 0 or to at least that value."
            )
            // Each handler has at most one call in flight.
            .Validate<IOptions<ResilienceOptions>>(
                (options, calls) =>
                    calls.Value.ConcurrencyLimit
                    >= options.MaxConcurrentCalls
                        + (options.Supervisor.Enabled ? DeadLetterHandler.MaxConcurrentCalls : 0),
                $"Resilience:ConcurrencyLimit: is below Workflow:MaxConcurrentCalls plus {DeadLetterHandler.MaxConcurrentCalls} of "
                    + "the supervisor, if it is enabled, so healthy calls would be rejected. Raise it."
            );
}
