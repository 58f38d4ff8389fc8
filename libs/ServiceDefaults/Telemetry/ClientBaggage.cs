using System.Diagnostics;

namespace DroneDelivery.ServiceDefaults.Telemetry;

public static class ClientBaggage
{
    /// <summary>
    /// Drops the <c>baggage</c> of requests, for a service with external clients. The services put the delivery there, for their telemetry and
    /// for each service that they call.
    /// </summary>
    public static void IgnoreClientBaggage(this WebApplication app) =>
        app.Use(
            (context, next) =>
            {
                foreach (var (name, _) in Activity.Current?.Baggage.ToList() ?? [])
                    Activity.Current!.SetBaggage(name, null);
                return next(context);
            }
        );
}
