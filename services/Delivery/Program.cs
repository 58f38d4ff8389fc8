using DroneDelivery.Contracts;
using DroneDelivery.Delivery;
using DroneDelivery.Delivery.Redis;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Validation;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("delivery", ContractJson.Configure);
builder.Services.RefuseUnknownMembers(typeof(DeliveryConfirmation), typeof(NotifyMeRequest)); // Workflow sends the others, and may be newer
builder.Services.AddRedis();
builder.Services.AddSingleton<DeliveryStore>();
builder.Services.AddSingleton<ChangeDelivery>();

var app = builder.Build();
app.MapServiceDefaults();
app.MapDeliveries();
return await app.RunServiceAsync();
