namespace DroneDelivery.Lab;

internal static class Loopback
{
    /// <summary>Creates a client that ignores proxy settings.</summary>
    public static HttpClient CreateClient(double seconds = 30) =>
        new(new SocketsHttpHandler { UseProxy = false, ConnectTimeout = TimeSpan.FromSeconds(10) })
        {
            Timeout = TimeSpan.FromSeconds(seconds),
        };

    public static Uri Require(Uri url) =>
        url.IsLoopback
            ? url
            : throw new BadInputException(
                $"{url} is not on this machine: the lab sends load only to loopback addresses."
            );
}
