namespace DroneDelivery.Services.Tests.Support;

internal static class Cancellation
{
    /// <summary>When the test has to end.</summary>
    public static CancellationToken Cancelled => TestContext.Current.CancellationToken;
}
