using System.Net;
using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Ingestion;

internal sealed class DeliveryStatusClient(HttpClient http)
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(2);

    /// <returns><c>null</c> if Delivery doesn't know the id.</returns>
    /// <exception cref="DependencyUnavailableException">Delivery is unavailable or returned no status.</exception>
    public async Task<DeliveryStatus?> FindAsync(string deliveryId, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await http.GetAsync(
                new Uri($"api/deliveries/{deliveryId}/status", UriKind.Relative),
                cancellationToken
            );
            if (response.StatusCode == HttpStatusCode.NotFound)
                return null;
            response.EnsureSuccessStatusCode();
            return await response.Content.ReadFromJsonAsync<DeliveryStatus>(ContractJson.Options, cancellationToken)
                ?? throw new JsonException("The status is null.");
        }
        catch (Exception exception) when (exception is HttpRequestException or JsonException)
        {
            throw new DependencyUnavailableException(
                ProblemTypes.DeliveryUnavailable,
                "The status is unavailable",
                "Delivery is unavailable or returned no status.",
                RetryAfter,
                exception
            );
        }
    }
}
