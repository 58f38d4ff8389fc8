namespace DroneDelivery.Lab;

/// <summary>The lab talks to this machine only.</summary>
internal static class Loopback
{
    /// <summary>A client that no proxy setting can send elsewhere.</summary>
    public static HttpClient CreateClient(double seconds = 30) =>
        new(new SocketsHttpHandler { UseProxy = false, ConnectTimeout = TimeSpan.FromSeconds(10) })
        {
            Timeout = TimeSpan.FromSeconds(seconds),
        };

    public static Uri Require(Uri url) =>
        url.IsLoopback
            ? url
            : throw new BadInputException(
                $"{url} is not on this machine: the lab puts load on loopback addresses only."
            );
}
