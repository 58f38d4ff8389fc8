using System.Text.Json.Nodes;

namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary>Bodies that a gateway has to refuse.</summary>
public sealed class MutatedBodiesTests
{
    private static readonly string Valid = File.ReadAllText(DeliveryRequests.FilePath);

    [Fact]
    public void Each_is_another_one_and_none_is_the_valid_one()
    {
        var bodies = MutatedBodies.Of(Valid);

        Assert.Equal(bodies.Count, bodies.Distinct().Count());
        Assert.DoesNotContain(bodies, body => JsonNode.DeepEquals(Parsed(body), Parsed(Valid)));
    }

    private static JsonNode? Parsed(string body)
    {
        try
        {
            return JsonNode.Parse(body);
        }
        catch (JsonException)
        {
            return null;
        }
    }
}
