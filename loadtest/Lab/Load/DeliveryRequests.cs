using System.Net.Http.Headers;
using System.Text;
using System.Text.Json.Nodes;

namespace DroneDelivery.Lab.Load;

/// <summary>Bodies of delivery requests from <c>loadtest/requests/delivery.json</c>, which k6 uses too.</summary>
internal sealed class DeliveryRequests
{
    private static readonly MediaTypeHeaderValue Json = new("application/json");
    private readonly string _template;

    private DeliveryRequests(string template) => _template = template;

    public static string FilePath { get; } = Path.Combine(Repository.Root, "loadtest", "requests", "delivery.json");

    public static DeliveryRequests Load(int instructionsLength = 0) => new(Template(instructionsLength));

    /// <param name="number">Replaces the n of <c>package-n</c>, so every package is different.</param>
    public HttpContent Create(string number)
    {
        var body = _template.Replace("package-n", "package-" + number, StringComparison.Ordinal);
        return new ByteArrayContent(Encoding.UTF8.GetBytes(body)) { Headers = { ContentType = Json } };
    }

    public static string Template(int instructionsLength)
    {
        var template = File.ReadAllText(FilePath);
        if (instructionsLength == 0)
            return template;
        var request = JsonNode.Parse(template)!.AsObject();
        request["instructions"] = new string('x', instructionsLength);
        return request.ToJsonString();
    }
}
