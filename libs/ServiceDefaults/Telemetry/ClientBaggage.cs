using System.Diagnostics;

namespace DroneDelivery.ServiceDefaults.Telemetry;

public static class ClientBaggage
{
    /// <summary>Drops the <c>baggage</c> of external clients. The services use it to pass on the delivery id.</summary>
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
