using System.Diagnostics;
using System.Globalization;

namespace Azure.Messaging.ServiceBus;

/// <summary>The W3C trace context of a message, in its application properties.</summary>
internal static class TraceContext
{
    private const string DiagnosticId = "Diagnostic-Id";
    private const string TraceParent = "traceparent";
    private const string TraceState = "tracestate";

    public static bool IsOn(IDictionary<string, object> properties) =>
        properties.ContainsKey(DiagnosticId) || properties.ContainsKey(TraceParent);

    public static bool IsName(string property) => property is DiagnosticId or TraceParent or TraceState;

    public static void Set(IDictionary<string, object> properties, Activity activity)
    {
        properties[DiagnosticId] = activity.Id!;
        properties[TraceParent] = activity.Id!;
        if (activity.TraceStateString is { Length: > 0 } state)
            properties[TraceState] = state;
    }

    public static string? Of(ServiceBusReceivedMessage message) =>
        (message.ApplicationProperties.GetValueOrDefault(TraceParent)
            ?? message.ApplicationProperties.GetValueOrDefault(DiagnosticId)) as string;

    public static string? Of(ServiceBusMessage message) =>
        message.ApplicationProperties.TryGetValue(TraceParent, out var id)
        || message.ApplicationProperties.TryGetValue(DiagnosticId, out id)
            ? id as string
            : null;

    /// <summary>Stands for the context of another message in the links of an operation.</summary>
    public static Activity Link(string traceParent) =>
        new Activity("LinkedActivity").SetIdFormat(ActivityIdFormat.W3C).SetParentId(traceParent);

    /// <summary>The same with the time from which collectors reckon how long the message has waited.</summary>
    public static Activity Link(string traceParent, DateTimeOffset enqueued) =>
        Link(traceParent).AddTag("enqueuedTime", enqueued.ToUnixTimeMilliseconds().ToString(CultureInfo.InvariantCulture));
}
