namespace DroneDelivery.Services.Tests.Support;

internal static class Cancellation
{
    public static CancellationToken Cancelled => TestContext.Current.CancellationToken;
}
