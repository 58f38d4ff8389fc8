using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace DroneDelivery.ServiceDefaults.Health;

public static class DependencyHealth
{
    /// <summary>
    /// A part of <c>/health/ready</c>: not ready until the dependency has answered once, so the first request finds a connection, a schema
    /// or a link. One that goes away later is <c>Degraded</c>: said in the body, and still 200. All replicas share it, so it goes away for
    /// all of them at once, and clients are better served by 503 with Retry-After than by no replica at all.
    /// </summary>
    /// <param name="failure">
    /// What is said when it does not answer, unless the exception has words for clients. The cause goes to the log.
    /// </param>
    /// <param name="ask">Asks it; throws when it does not answer.</param>
    public static IServiceCollection AddDependency(
        this IServiceCollection services,
        string name,
        string failure,
        Func<IServiceProvider, CancellationToken, Task> ask
    )
    {
        services.AddKeyedSingleton(name, (provider, _) =>
            new Check(
                failure,
                token => ask(provider, token),
                new Outage($"Readiness ({name})", provider.GetRequiredService<ILogger<Check>>()),
                provider.GetRequiredService<TimeProvider>()
            )
        );
        services
            .AddHealthChecks()
            .Add(new(name, provider => provider.GetRequiredKeyedService<Check>(name), failureStatus: null, tags: null));
        return services;
    }

    private sealed class Check(string failure, Func<CancellationToken, Task> ask, Outage outage, TimeProvider time)
        : IHealthCheck
    {
        // Below the timeout of a probe (3 s in the chart), which counts as not ready. A first connection may need more: until then it
        // is not.
        private static readonly TimeSpan FirstPatience = TimeSpan.FromSeconds(2),
            Patience = TimeSpan.FromSeconds(1);

        private volatile bool _answered;

        public async Task<HealthCheckResult> CheckHealthAsync(
            HealthCheckContext context,
            CancellationToken cancellationToken = default
        )
        {
            using var timeout = new CancellationTokenSource(_answered ? Patience : FirstPatience, time);
            using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token);
            try
            {
                await ask(patience.Token).WaitAsync(patience.Token);
                _answered = true;
                outage.Succeeded();
                return HealthCheckResult.Healthy();
            }
            catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
            {
                // The others have told the log of their own outage.
                if (exception is not DependencyUnavailableException)
                    outage.Failed(CauseOf(exception));
                var what = (exception as DependencyUnavailableException)?.Detail ?? failure;
                return _answered ? HealthCheckResult.Degraded(what) : HealthCheckResult.Unhealthy(what);
            }
        }

        private static string CauseOf(Exception exception) =>
            exception is OperationCanceledException
                ? "No answer in time."
                : $"{exception.GetType().Name}: {exception.Message}";
    }
}
