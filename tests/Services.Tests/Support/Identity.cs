using Azure.Core;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class Identity(Func<TokenRequestContext, CancellationToken, AccessToken> token) : TokenCredential
{
    public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
        token(requestContext, cancellationToken);

    public override ValueTask<AccessToken> GetTokenAsync(
        TokenRequestContext requestContext,
        CancellationToken cancellationToken
    ) => ValueTask.FromResult(GetToken(requestContext, cancellationToken));
}
