using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Delivery;

/// <summary>
/// Issues the tokens that confirm deliveries, which clients find in the status and pass on to the recipient, and checks them before any
/// response can reveal the delivery.
/// </summary>
internal sealed class ConfirmationTokens(IOptions<ConfirmationOptions> options) : IEndpointFilter
{
    public const string Header = "Confirmation-Token";

    private readonly byte[]? _key = string.IsNullOrEmpty(options.Value.Key)
        ? null
        : Convert.FromBase64String(options.Value.Key);

    /// <returns><c>null</c> if a confirmation needs no token.</returns>
    public string? Create(string deliveryId) =>
        _key is null ? null : Base64Url.EncodeToString(HMACSHA256.HashData(_key, Encoding.UTF8.GetBytes(deliveryId)));

    public ValueTask<object?> InvokeAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
    {
        var expected = Create($"{context.HttpContext.GetRouteValue("id")}");
        var token = context.HttpContext.Request.Headers[Header].ToString();
        if (expected is null || IsEqual(token, expected))
            return next(context);
        return ValueTask.FromResult<object?>(
            TypedResults.Problem(
                $"The header {Header} must contain the token of this delivery.",
                statusCode: StatusCodes.Status403Forbidden
            )
        );
    }

    private static bool IsEqual(string token, string expected) =>
        CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(token), Encoding.UTF8.GetBytes(expected));
}
