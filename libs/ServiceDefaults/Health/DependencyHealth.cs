using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace DroneDelivery.ServiceDefaults.Health;

public static class DependencyHealth
{
    /// <summary>
    /// Adds a check to <c>/health/ready</c>: Unhealthy until the dependency has responded once, later Degraded, with status 200. A later
    /// failure affects all replicas, and clients are better served by 503 with Retry-After than by no replica.
    /// </summary>
    /// <param name="failure">The description of a failure that isn't a <see cref="DependencyUnavailableException"/>.</param>
    /// <param name="probe">Calls the dependency; throws if it is unavailable.</param>
    public static IServiceCollection AddDependency(
        this IServiceCollection services,
        string name,
        string failure,
        Func<IServiceProvider, CancellationToken, Task> probe
    )
    {
        services.AddKeyedSingleton(name, (provider, _) =>
            new Check(
                failure,
                token => probe(provider, token),
                new OutageLog($"Readiness ({name})", provider.GetRequiredService<ILogger<Check>>()),
                provider.GetRequiredService<TimeProvider>()
            )
        );
        services
            .AddHealthChecks()
            .Add(new(name, provider => provider.GetRequiredKeyedService<Check>(name), failureStatus: null, tags: null));
        return services;
    }

    private sealed class Check(string failure, Func<CancellationToken, Task> probe, OutageLog outage, TimeProvider time)
        : IHealthCheck
    {
        // Below the probe timeout (3 s in the chart). The first connection may take longer.
        private static readonly TimeSpan FirstTimeout = TimeSpan.FromSeconds(2),
            LaterTimeout = TimeSpan.FromSeconds(1);

        private volatile bool _hasResponded;

        public async Task<HealthCheckResult> CheckHealthAsync(
            HealthCheckContext context,
            CancellationToken cancellationToken = default
        )
        {
            using var timeout = new CancellationTokenSource(_hasResponded ? LaterTimeout : FirstTimeout, time);
            using var linked = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token);
            try
            {
                await probe(linked.Token).WaitAsync(linked.Token);
                _hasResponded = true;
                outage.Succeeded();
                return HealthCheckResult.Healthy();
            }
            catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
            {
                // DependencyUnavailableException has been logged at its source.
                if (exception is not DependencyUnavailableException)
                    outage.Failed(CauseOf(exception));
                var description = (exception as DependencyUnavailableException)?.Detail ?? failure;
                return _hasResponded
                    ? HealthCheckResult.Degraded(description)
                    : HealthCheckResult.Unhealthy(description);
            }
        }

        private static string CauseOf(Exception exception) =>
            exception is OperationCanceledException
                ? "No response in time."
                : $"{exception.GetType().Name}: {exception.Message}";
    }
}
