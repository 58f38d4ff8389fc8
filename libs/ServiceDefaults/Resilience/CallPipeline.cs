using System.Threading.RateLimiting;
using Microsoft.Extensions.Logging;
using Polly;
using Polly.Timeout;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>What a call to a service goes through, outermost first. docs/architecture.md, "Calls between services", says why.</summary>
internal static class CallPipeline
{
    /// <summary>Name of the strategy, to tell it from the time-out of an attempt.</summary>
    public const string TotalTimeout = nameof(ResilienceOptions.TotalTimeout);

    public static ResiliencePipeline<HttpResponseMessage> Build(
        CalledService service, ResilienceOptions options, RateLimiter limiter, TimeProvider time, ILogger logger) =>
        new ResiliencePipelineBuilder<HttpResponseMessage> { Name = service.Name, TimeProvider = time }
            .AddTimeout(new TimeoutStrategyOptions { Name = TotalTimeout, Timeout = options.EffectiveTotalTimeout })
            .AddConcurrencyLimit(limiter)
            .AddRetries(options, time)
            .AddCircuit(service, options, time, logger)
            .AddAttemptWatch(service, options)
            .AddTimeout(options.AttemptTimeout)
            .Build();
}
