using DroneDelivery.LocalServiceBus;

namespace DroneDelivery.ServiceBus;

/// <summary>Asks the broker on this machine how it is: for containers, whose image has no other program to ask with.</summary>
internal static class HealthCheck
{
    public const string Argument = "--healthy";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <returns>The exit code: 0 if the broker takes and keeps what it is sent.</returns>
    public static async Task<int> RunAsync(LocalServiceBusOptions options)
    {
        // The connection stays on this machine, and the certificate need not name it.
        using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = (_, _, _, _) => true };
        using var http = new HttpClient(handler) { Timeout = Patience };
        try
        {
            using var answer = await http.GetAsync(new Uri(options.LocalAddress(), "/health"));
            return answer.IsSuccessStatusCode ? 0 : 1;
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException)
        {
            await Console.Error.WriteLineAsync($"{options.LocalAddress()}: {error.Message}");
            return 1;
        }
    }
}
