using DroneDelivery.Contracts;
using DroneDelivery.Delivery;
using DroneDelivery.Delivery.Redis;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Security;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("delivery", ContractJson.Configure);
builder.Services.AddRedis();
builder.Services.AddSingleton<DeliveryStore>();
builder.Services.AddSingleton<ChangeDelivery>();
builder.Services.AddValidatedOptions<ConfirmationOptions>(ConfirmationOptions.Section);
builder.Services.AddSingleton<ConfirmationTokens>();
builder.AddCallers();

var app = builder.Build();
app.MapServiceDefaults();
app.UseCallers();
app.MapDeliveries();
return await app.RunServiceAsync();
