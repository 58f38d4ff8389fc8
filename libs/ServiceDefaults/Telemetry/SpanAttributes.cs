using System.Diagnostics;
using System.Runtime.CompilerServices;
using OpenTelemetry;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// What activities lack when they end: the delivery that they are about, and those of the Service Bus client the words of OpenTelemetry.
/// Probes are left out, as in Application Insights.
/// </summary>
internal sealed class SpanAttributes : BaseProcessor<Activity>
{
    public override void OnEnd(Activity data)
    {
        if (data.GetTagItem("url.path") is string path && TelemetrySetup.IsProbe(path))
            data.ActivityTraceFlags &= ~ActivityTraceFlags.Recorded;
        else if (data.GetTagItem("az.namespace") is "Microsoft.ServiceBus")
            NameMessaging(data);
        if (data.GetBaggageItem("deliveryId") is { } deliveryId)
            data.SetTag("drone_delivery.delivery.id", deliveryId);
    }

    private static void NameMessaging(Activity activity)
    {
        activity.SetTag("messaging.system", "servicebus");
        activity.SetTag("messaging.destination.name", activity.GetTagItem("message_bus.destination"));
        activity.SetTag("messaging.operation.name", activity.OperationName);
        activity.SetTag("server.address", activity.GetTagItem("peer.address"));
        SetKind(activity, activity.GetTagItem("kind") switch
        {
            "producer" => ActivityKind.Producer,
            "consumer" => ActivityKind.Consumer,
            "client" => ActivityKind.Client,
            _ => ActivityKind.Internal,
        });
    }

    /// <summary>An activity without a source has no kind, and nobody else may give it one.</summary>
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_Kind")]
    private static extern void SetKind(Activity activity, ActivityKind kind);
}
