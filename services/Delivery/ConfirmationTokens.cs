using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Delivery;

/// <summary>
/// The token that confirms one delivery. Its status has the token for the client, who passes it on to the receiver. A filter, because no
/// answer about a delivery may come before the check.
/// </summary>
internal sealed class ConfirmationTokens(IOptions<ConfirmationOptions> options) : IEndpointFilter
{
    public const string Header = "Confirmation-Token";

    private readonly byte[]? _key = string.IsNullOrEmpty(options.Value.Key)
        ? null
        : Convert.FromBase64String(options.Value.Key);

    /// <returns><c>null</c> if a confirmation needs no token.</returns>
    public string? Of(string deliveryId) =>
        _key is null ? null : Base64Url.EncodeToString(HMACSHA256.HashData(_key, Encoding.UTF8.GetBytes(deliveryId)));

    public ValueTask<object?> InvokeAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
    {
        var expected = Of($"{context.HttpContext.GetRouteValue("id")}");
        var token = context.HttpContext.Request.Headers[Header].ToString();
        if (expected is null || IsEqual(token, expected))
            return next(context);
        return ValueTask.FromResult<object?>(
            TypedResults.Problem(
                $"The header {Header} must have the token of this delivery.",
                statusCode: StatusCodes.Status403Forbidden
            )
        );
    }

    private static bool IsEqual(string token, string expected) =>
        CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(token), Encoding.UTF8.GetBytes(expected));
}
