using System.Globalization;
using System.Net;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Reads tables of Azurite, without the client that wrote them: whoever counts does not believe whoever stores.</summary>
internal sealed class StoredHits(HttpClient http, int port, TimeProvider clock)
{
    /// <returns>Entities in the table; 0 where there is no such table.</returns>
    /// <exception cref="HttpRequestException">Azurite does not answer, or refuses.</exception>
    public async Task<int> CountAsync(string table, CancellationToken cancellationToken)
    {
        var count = 0;
        await foreach (var page in PagesAsync(table, cancellationToken))
            count += page.GetArrayLength();
        return count;
    }

    /// <returns>A thousand entities at a time.</returns>
    public async IAsyncEnumerable<JsonElement> PagesAsync(string table, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        for (var next = "?"; next is not null;)
        {
            using var request = Query(table, next);
            using var response = await http.SendAsync(request, cancellationToken);
            if (response.StatusCode == HttpStatusCode.NotFound)
                yield break;
            response.EnsureSuccessStatusCode();
            using var body = JsonDocument.Parse(await response.Content.ReadAsByteArrayAsync(cancellationToken));
            yield return body.RootElement.GetProperty("value");
            next = NextOf(response);
        }
    }

    /// <summary>Signed as Table Storage wants it (Shared Key Lite): the time, and the account before the path, which begins with it
    /// again.</summary>
    private HttpRequestMessage Query(string table, string query)
    {
        var path = $"/{AzuriteServer.Account}/{table}()";
        var time = clock.GetUtcNow().ToString("R", CultureInfo.InvariantCulture);
        var signature = HMACSHA256.HashData(
            Convert.FromBase64String(AzuriteServer.Key), Encoding.UTF8.GetBytes($"{time}\n/{AzuriteServer.Account}{path}"));
        var request = new HttpRequestMessage(HttpMethod.Get, new Uri($"http://127.0.0.1:{port}{path}{query}"));
        request.Headers.Add("x-ms-date", time);
        request.Headers.Add("x-ms-version", "2019-02-02");
        request.Headers.Add("Accept", "application/json;odata=nometadata");
        request.Headers.TryAddWithoutValidation(
            "Authorization", $"SharedKeyLite {AzuriteServer.Account}:{Convert.ToBase64String(signature)}");
        return request;
    }

    private static string? NextOf(HttpResponseMessage response) =>
        KeyOf(response, "NextPartitionKey") is { } partition ? $"?{partition}&{KeyOf(response, "NextRowKey")}" : null;

    private static string? KeyOf(HttpResponseMessage response, string name) =>
        response.Headers.TryGetValues($"x-ms-continuation-{name}", out var values)
            ? $"{name}={Uri.EscapeDataString(values.First())}"
            : null;
}
