using System.Diagnostics;

namespace DroneDelivery.ServiceDefaults.Telemetry;

public static class ClientBaggage
{
    /// <summary>
    /// For a service whose clients are none of ours: of what they say of a trace, it leaves the baggage. There the services say which
    /// delivery a call is about, in their telemetry and to each service that they call.
    /// </summary>
    public static IServiceCollection IgnoreClientBaggage(this IServiceCollection services) =>
        services.AddSingleton<DistributedContextPropagator>(new WithoutBaggage(DistributedContextPropagator.Current));

    /// <summary>Of requests that come. Those that the service sends have the baggage that it has put into them.</summary>
    private sealed class WithoutBaggage(DistributedContextPropagator all) : DistributedContextPropagator
    {
        public override IReadOnlyCollection<string> Fields => all.Fields;

        public override void Inject(Activity? activity, object? carrier, PropagatorSetterCallback? setter) =>
            all.Inject(activity, carrier, setter);

        public override void ExtractTraceIdAndState(
            object? carrier,
            PropagatorGetterCallback? getter,
            out string? traceId,
            out string? traceState
        ) => all.ExtractTraceIdAndState(carrier, getter, out traceId, out traceState);

        public override IEnumerable<KeyValuePair<string, string?>>? ExtractBaggage(
            object? carrier,
            PropagatorGetterCallback? getter
        ) => null;
    }
}
