using DroneDelivery.LocalServiceBus;

namespace DroneDelivery.ServiceBus;

/// <summary>Queries the health of the local broker, for container images without other tools.</summary>
internal static class HealthCheck
{
    public const string Argument = "--healthy";

    private static readonly TimeSpan RequestTimeout = TimeSpan.FromSeconds(5);

    /// <returns>The exit code: 0 if the broker is healthy.</returns>
    public static async Task<int> RunAsync(LocalServiceBusOptions options)
    {
        // The request stays on this machine, whose address the certificate might not contain.
        using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = (_, _, _, _) => true };
        using var http = new HttpClient(handler) { Timeout = RequestTimeout };
        try
        {
            using var response = await http.GetAsync(new Uri(options.LocalAddress(), "/health"));
            return response.IsSuccessStatusCode ? 0 : 1;
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException)
        {
            await Console.Error.WriteLineAsync($"{options.LocalAddress()}: {error.Message}");
            return 1;
        }
    }
}
