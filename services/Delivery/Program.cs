using DroneDelivery.Contracts;
using DroneDelivery.Delivery;
using DroneDelivery.Delivery.Redis;
using DroneDelivery.ServiceDefaults;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("delivery", ContractJson.Configure);
builder.Services.AddRedis();
builder.Services.AddSingleton<DeliveryStore>();
builder.Services.AddSingleton<ChangeDelivery>();

var app = builder.Build();
app.MapServiceDefaults();
app.MapDeliveries();
return await app.RunServiceAsync();
