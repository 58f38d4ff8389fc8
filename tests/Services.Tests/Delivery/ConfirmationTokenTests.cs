using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Delivery;

public sealed class ConfirmationTokenTests
{
    private const string Key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    [Fact]
    public async Task Confirmation_requires_the_token_from_the_status()
    {
        await using var delivery = await DeliveryUnderTest.StartAsync(new() { ["Confirmation:Key"] = Key });
        delivery.Time.Advance(Deliveries.Sample.FlightPlan.DropoffAt - delivery.Time.GetUtcNow());
        var (token, tokenOfOther) = (await RecordAsync(delivery.Http, "d1"), await RecordAsync(delivery.Http, "d2"));

        // None of these reveals whether the delivery exists.
        foreach (var wrong in new[] { "", "no-token", tokenOfOther, $"{token}A", token[1..] })
        {
            Assert.Equal(HttpStatusCode.Forbidden, await ConfirmAsync(delivery.Http, "d1", wrong));
            Assert.Equal(HttpStatusCode.Forbidden, await ConfirmAsync(delivery.Http, "unknown", wrong));
        }
        Assert.Equal(HttpStatusCode.OK, await ConfirmAsync(delivery.Http, "d1", token));
    }

    [Fact]
    public async Task Confirmation_requires_no_token_when_no_key_is_set()
    {
        await using var delivery = await DeliveryUnderTest.StartAsync();
        delivery.Time.Advance(Deliveries.Sample.FlightPlan.DropoffAt - delivery.Time.GetUtcNow());

        Assert.Equal("", await RecordAsync(delivery.Http, "d1"));
        Assert.Equal(HttpStatusCode.OK, await ConfirmAsync(delivery.Http, "d1", ""));
    }

    [Fact]
    public async Task RateLimit_applies_to_confirmations_but_not_to_services()
    {
        await using var delivery = await DeliveryUnderTest.StartAsync(
            new()
            {
                ["RateLimit:Enabled"] = "true",
                ["RateLimit:Permits"] = "1",
                ["RateLimit:Window"] = "1.00:00:00",
            }
        );

        Assert.Equal(HttpStatusCode.NotFound, await ConfirmAsync(delivery.Http, "d1", ""));
        Assert.Equal(HttpStatusCode.TooManyRequests, await ConfirmAsync(delivery.Http, "d1", ""));
        await RecordAsync(delivery.Http, "d1");
    }

    private static async Task<string> RecordAsync(HttpClient http, string id)
    {
        (await http.PutAsync($"/api/deliveries/{id}", Deliveries.Sample)).EnsureSuccessStatusCode();
        return (await http.GetAsync<DeliveryStatus>($"/api/deliveries/{id}/status")).ConfirmationToken ?? "";
    }

    private static async Task<HttpStatusCode> ConfirmAsync(HttpClient http, string id, string token)
    {
        var confirmation = Deliveries.Confirmation(Deliveries.Sample.FlightPlan.DropoffAt, ConfirmationType.None);
        using var body = JsonContent.Create(confirmation, options: ContractJson.Options);
        using var response = await http.SendAsync(
            HttpMethod.Post,
            $"/api/deliveries/{id}/confirmations",
            body,
            ("Confirmation-Token", token)
        );
        return response.StatusCode;
    }
}
