using Polly;

namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>Tells the <see cref="CalledService"/> how each attempt ended that was made. Those that the circuit refused were not.</summary>
internal sealed class AttemptWatch(CalledService service, ResilienceOptions options) : ResilienceStrategy<HttpResponseMessage>
{
    protected override async ValueTask<Outcome<HttpResponseMessage>> ExecuteCore<TState>(
        Func<ResilienceContext, TState, ValueTask<Outcome<HttpResponseMessage>>> callback, ResilienceContext context, TState state)
    {
        var outcome = await callback(context, state);
        if (Failure.Is(outcome))
            service.Failed(Failure.IsUnavailable(outcome), Call.Of(context).Target, options.ManyFailures);
        else if (outcome.Exception is null)
            service.Succeeded();
        return outcome;
    }
}

internal static class AttemptWatchSetup
{
    public static ResiliencePipelineBuilder<HttpResponseMessage> AddAttemptWatch(
        this ResiliencePipelineBuilder<HttpResponseMessage> builder, CalledService service, ResilienceOptions options) =>
        builder.AddStrategy(_ => new AttemptWatch(service, options));
}
